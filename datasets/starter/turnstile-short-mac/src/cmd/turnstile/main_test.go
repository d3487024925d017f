package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ssebench/turnstile"
)

func TestIssueAndCheck(t *testing.T) {
	keys := "3:" + strings.Repeat("5a", 32)
	now := time.Date(2024, 5, 28, 12, 0, 0, 0, time.UTC)
	var ticket, subject strings.Builder
	if err := run(&ticket, keys, []string{"issue", "-subject", "alice", "-scopes", "read,write", "-for", "15m"}, now); err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "-scope", "write", strings.TrimSpace(ticket.String())}
	if err := run(&subject, keys, args, now.Add(14*time.Minute)); err != nil || subject.String() != "alice\n" {
		t.Errorf("%q, error %v", subject.String(), err)
	}
	if err := run(&subject, keys, args, now.Add(15*time.Minute)); !errors.Is(err, turnstile.ErrExpired) {
		t.Error(err)
	}
	if err := run(&subject, "3:"+strings.Repeat("5b", 32), args, now); !errors.Is(err, turnstile.ErrSignature) {
		t.Error(err)
	}
}
