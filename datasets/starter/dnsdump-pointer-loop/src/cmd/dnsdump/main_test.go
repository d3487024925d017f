package main

import (
	"strings"
	"testing"
)

func TestDumpPrintsAMessage(t *testing.T) {
	msg := "\x12\x34\x81\x83\x00\x01\x00\x01\x00\x00\x00\x00" +
		"\x0dxn--kchen-kva\x07example\x00\x00\x01\x00\x01" +
		"\xc0\x0c\x00\x63\x00\x01\x00\x00\x0e\x10\x00\x02\xab\xcd"
	var out strings.Builder
	if err := dump(&out, []byte(msg)); err != nil {
		t.Fatal(err)
	}
	want := `answer 4660, code 3
  ? küchen.example. A
  küchen.example. 3600 TYPE99 abcd
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestDumpPrintsNothingOfABadMessage(t *testing.T) {
	var out strings.Builder
	if err := dump(&out, []byte("GET / HTTP/1.1\r\n")); err == nil || out.Len() > 0 {
		t.Errorf("error %v after %q", err, out.String())
	}
}
