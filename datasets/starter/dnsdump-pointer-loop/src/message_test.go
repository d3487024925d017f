package dnsdump

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// question is the start of an answer with one question, for a name at byte 12, and that many records.
func question(name string, records byte) string {
	return "\x00\x07\x80\x00\x00\x01\x00" + string(rune(records)) + "\x00\x00\x00\x00" + name + "\x00\x01\x00\x01"
}

// record has a time to live of one minute.
func record(name string, kind Type, data string) string {
	return name + "\x00" + string(rune(kind)) + "\x00\x01\x00\x00\x00\x3c\x00" + string(rune(len(data))) + data
}

// www has the name example.org at byte 16, and org at byte 24.
const www = "\x03www\x07example\x03org\x00"

func parse(t *testing.T, msg string) *Message {
	t.Helper()
	message, err := Parse([]byte(msg))
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestAnAnswerWithCompressedNames(t *testing.T) {
	got := parse(t, question(www, 3)+
		record("\xc0\x0c", TypeCNAME, "\x03lb2\xc0\x10")+ // lb2 is at byte 45
		record("\xc0\x2d", TypeA, "\xc0\x00\x02\x07")+
		record("\xc0\x10", TypeMX, "\x00\x0a\x04mail\xc0\x2d"))
	want := &Message{
		ID: 7, Response: true,
		Questions: []Question{{"www.example.org.", TypeA}},
		Records: []Record{
			{"www.example.org.", TypeCNAME, 60, "lb2.example.org."},
			{"lb2.example.org.", TypeA, 60, "192.0.2.7"},
			{"example.org.", TypeMX, 60, "10 mail.lb2.example.org."},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDataOfEveryType(t *testing.T) {
	for want, data := range map[string]struct {
		kind  Type
		bytes string
	}{
		"2001:db8::1":             {TypeAAAA, " \x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
		"www.example.org.":        {TypeNS, "\xc0\x0c"},
		".":                       {TypePTR, "\x00"},
		"1 2 5060 sip.org.":       {TypeSRV, "\x00\x01\x00\x02\x13\xc4\x03sip\xc0\x18"},
		`"v=spf1" "" "say \"a\""`: {TypeTXT, "\x06v=spf1\x00\x07say \"a\""},
		"":                        {TypeTXT, ""},
		"00ff":                    {99, "\x00\xff"},
	} {
		message := parse(t, question(www, 1)+record("\xc0\x0c", data.kind, data.bytes))
		if got := message.Records[0].Data; got != want {
			t.Errorf("type %d: got %s, want %s", data.kind, got, want)
		}
	}
}

func TestNamesAsPeopleReadThem(t *testing.T) {
	for name, want := range map[string]string{
		"\x00":                                ".",
		"\x03a.b\x03c\\d\x00":                 `a\.b.c\\d.`,
		"\x02\x00 \x02\xff~\x00":              `\000\032.\255~.`,
		"\x0dXN--kchen-kva\x02de\x00":         "küchen.de.",
		"\x04xn--\x06xn--\xff\xff\x00":        `xn--.xn--\255\255.`,
		"\x05xn--9\x03xn-\x00":                "xn--9.xn-.",
		strings.Repeat("\x01a", 127) + "\x00": strings.Repeat("a.", 127),
	} {
		if got := parse(t, question(name, 0)).Questions[0].Name; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEveryPrefixIsMalformed(t *testing.T) {
	msg := question(www, 1) + record("\xc0\x0c", TypeMX, "\x00\x0a\x04mail\xc0\x10")
	parse(t, msg)
	for n := range len(msg) {
		if _, err := Parse([]byte(msg[:n])); !errors.Is(err, ErrMalformed) {
			t.Errorf("%d of %d bytes: %v", n, len(msg), err)
		}
	}
}

func TestWhatIsMalformed(t *testing.T) {
	for name, msg := range map[string]string{
		"bytes after the message":        question(www, 0) + "\x00",
		"an address of 3 bytes":          question(www, 1) + record("\xc0\x0c", TypeA, "\x01\x02\x03"),
		"an address of 5 bytes":          question(www, 1) + record("\xc0\x0c", TypeA, "\x01\x02\x03\x04\x05"),
		"a text beyond its record":       question(www, 1) + record("\xc0\x0c", TypeTXT, "\x05four"),
		"bytes after a name":             question(www, 1) + record("\xc0\x0c", TypeNS, "\xc0\x0c\x00"),
		"a pointer beyond the message":   question("\xc1\x00", 0),
		"a label of an unknown kind":     question("\x41a\x00", 0),
		"a name of 256 bytes":            question(strings.Repeat("\x01a", 127)+"\x01a\x00", 0),
		"a name of 256 bytes, in pieces": question(strings.Repeat("\x01a", 100)+"\x00", 1) + record(strings.Repeat("\x01b", 28)+"\xc0\x0c", TypeA, "1234"),
	} {
		if _, err := Parse([]byte(msg)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
