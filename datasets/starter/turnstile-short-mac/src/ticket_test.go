package turnstile

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	now    = time.Date(2024, 5, 28, 12, 0, 0, 0, time.UTC)
	claims = Claims{Subject: "alice <alice@example.org>", Expiry: now.Add(time.Minute), Scopes: []string{"read", "write"}}
)

func keyring(t *testing.T, macSize int, numbers ...int) *Keyring {
	t.Helper()
	k, err := NewKeyring(macSize)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range numbers {
		if err := k.Add(number, bytes.Repeat([]byte{byte(number)}, 32)); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

func issue(t *testing.T, k *Keyring, claims Claims) string {
	t.Helper()
	ticket, err := k.Issue(claims)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func TestATicketIsGood(t *testing.T) {
	k := keyring(t, 20, 1)
	got, err := k.Check(issue(t, k, claims), "write", now)
	if err != nil || !reflect.DeepEqual(*got, claims) {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestTheTextOfATicket(t *testing.T) {
	ticket := issue(t, keyring(t, 16, 7), Claims{Subject: "bob", Expiry: time.Unix(1000, 0), Scopes: []string{"a"}})
	if want := "dDEKNwpib2IKMTAwMAph.t6SJa_DSPl_6dzwBKkEUzg"; ticket != want {
		t.Errorf("got %s, want %s", ticket, want)
	}
}

func TestATicketOfAnotherLengthIsGood(t *testing.T) {
	checker := keyring(t, 24, 1)
	for size := MinMACSize; size <= MaxMACSize; size++ {
		if _, err := checker.Check(issue(t, keyring(t, size, 1), claims), "read", now); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestTicketsOfOlderKeysAreGood(t *testing.T) {
	old := issue(t, keyring(t, 16, 1), claims)
	both := keyring(t, 16, 2, 1)
	if _, err := both.Check(old, "read", now); err != nil {
		t.Error(err)
	}
	if _, err := keyring(t, 16, 2).Check(issue(t, both, claims), "read", now); err != nil {
		t.Errorf("the newest key is not the one that issues: %v", err)
	}
	if _, err := keyring(t, 16, 2).Check(old, "read", now); !errors.Is(err, ErrSignature) {
		t.Errorf("a key that is gone: %v", err)
	}
}

func TestAnyOtherSignatureIsWrong(t *testing.T) {
	k := keyring(t, 16, 1)
	ticket := issue(t, k, claims)
	text, mac, _ := strings.Cut(ticket, ".")
	raw, _ := encoding.DecodeString(mac)
	for i := range raw {
		changed := bytes.Clone(raw)
		changed[i] ^= 1
		if _, err := k.Check(text+"."+encoding.EncodeToString(changed), "read", now); !errors.Is(err, ErrSignature) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for _, mac := range [][]byte{make([]byte, 16), make([]byte, 32), make([]byte, 33), append(raw, 0)} {
		if _, err := k.Check(text+"."+encoding.EncodeToString(mac), "read", now); !errors.Is(err, ErrSignature) {
			t.Errorf("%x: %v", mac, err)
		}
	}
	other := encoding.EncodeToString([]byte("t1\n1\nmallory\n9999999999\nread"))
	if _, err := k.Check(other+"."+mac, "read", now); !errors.Is(err, ErrSignature) {
		t.Errorf("other claims: %v", err)
	}
}

func TestWhenAndWhatForATicketIsGood(t *testing.T) {
	k := keyring(t, 16, 1)
	ticket := issue(t, k, claims)
	if _, err := k.Check(ticket, "read", claims.Expiry.Add(-time.Second)); err != nil {
		t.Error(err)
	}
	if _, err := k.Check(ticket, "read", claims.Expiry); !errors.Is(err, ErrExpired) {
		t.Error(err)
	}
	for _, scope := range []string{"", "rea", "read,write", "admin"} {
		if _, err := k.Check(ticket, scope, now); !errors.Is(err, ErrScope) {
			t.Errorf("%q: %v", scope, err)
		}
	}
}

func TestWhatIsMalformed(t *testing.T) {
	k := keyring(t, 16, 1)
	ticket := issue(t, k, claims)
	for _, bad := range []string{"", ".", "x", "=" + ticket, ticket + "=", ticket + ".", strings.Repeat("A", 5000)} {
		if _, err := k.Check(bad, "read", now); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestWhatCanNotBeIssued(t *testing.T) {
	for _, bad := range []Claims{{}, {Subject: "a\n9999999999"}, {Subject: "a", Scopes: []string{""}}, {Subject: "a", Scopes: []string{"x,admin"}}} {
		if ticket, err := keyring(t, 16, 1).Issue(bad); err == nil {
			t.Errorf("%+v: %s", bad, ticket)
		}
	}
	if _, err := keyring(t, 16).Issue(claims); err == nil {
		t.Error("issued without a key")
	}
}

func TestKeys(t *testing.T) {
	for _, size := range []int{0, 15, 33} {
		if _, err := NewKeyring(size); err == nil {
			t.Errorf("an HMAC of %d bytes", size)
		}
	}
	good := strings.Repeat("ab", 32)
	for _, bad := range []string{"", good, "1:" + good[2:], "0:" + good, "1:xy", "1:" + good + ",1:" + good} {
		if err := keyring(t, 16).Parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if err := keyring(t, 16).Parse("1:" + good + ", 2:" + good); err != nil {
		t.Error(err)
	}
}
