// Package turnstile issues and checks signed tickets.
package turnstile

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Why a ticket is not good.
var (
	ErrMalformed = errors.New("malformed ticket")
	ErrSignature = errors.New("the ticket is not signed by a known key")
	ErrExpired   = errors.New("the ticket has expired")
	ErrScope     = errors.New("the ticket is not for this")
)

const (
	version = "t1"
	maxSize = 4096
)

var encoding = base64.RawURLEncoding.Strict()

// Claims are what a ticket says.
type Claims struct {
	Subject string
	Expiry  time.Time
	Scopes  []string
}

// Issue makes a ticket. Subject and scopes must not hold line ends, nor scopes commas.
func (k *Keyring) Issue(claims Claims) (string, error) {
	if k.newest == 0 {
		return "", errors.New("there is no key")
	}
	if claims.Subject == "" || strings.ContainsRune(claims.Subject, '\n') {
		return "", errors.New("the subject must be a line")
	}
	for _, scope := range claims.Scopes {
		if scope == "" || strings.ContainsAny(scope, ",\n") {
			return "", fmt.Errorf("%q can't be a scope", scope)
		}
	}
	text := []byte(strings.Join([]string{
		version, strconv.Itoa(k.newest), claims.Subject,
		strconv.FormatInt(claims.Expiry.Unix(), 10), strings.Join(claims.Scopes, ","),
	}, "\n"))
	mac := k.sign(k.newest, text)[:k.macSize]
	return encoding.EncodeToString(text) + "." + encoding.EncodeToString(mac), nil
}

// Check gives the claims of a ticket that is signed, is good now and has the scope.
func (k *Keyring) Check(ticket, scope string, now time.Time) (*Claims, error) {
	if len(ticket) > maxSize {
		return nil, ErrMalformed
	}
	first, second, _ := strings.Cut(ticket, ".")
	text, err := encoding.DecodeString(first)
	if err != nil {
		return nil, ErrMalformed
	}
	mac, err := encoding.DecodeString(second)
	if err != nil {
		return nil, ErrMalformed
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 5 || lines[0] != version {
		return nil, ErrMalformed
	}
	number, err := strconv.Atoi(lines[1])
	if err != nil {
		return nil, ErrMalformed
	}
	if !k.isSigned(number, text, mac) {
		return nil, ErrSignature
	}

	seconds, err := strconv.ParseInt(lines[3], 10, 64)
	if err != nil || lines[2] == "" {
		return nil, ErrMalformed
	}
	claims := &Claims{Subject: lines[2], Expiry: time.Unix(seconds, 0).UTC()}
	if lines[4] != "" {
		claims.Scopes = strings.Split(lines[4], ",")
	}
	if !now.Before(claims.Expiry) {
		return nil, ErrExpired
	}
	if !slices.Contains(claims.Scopes, scope) {
		return nil, ErrScope
	}
	return claims, nil
}
