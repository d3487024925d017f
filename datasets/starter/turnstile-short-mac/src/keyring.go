package turnstile

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The limits of what a ticket carries of its HMAC, in bytes.
const (
	MinMACSize = 16
	MaxMACSize = sha256.Size
)

const minKeySize = 32

// Keyring has the keys that tickets are signed with, by their number.
type Keyring struct {
	keys    map[int][]byte
	newest  int
	macSize int
}

// NewKeyring makes a keyring without keys. Its tickets carry macSize bytes of their HMAC.
func NewKeyring(macSize int) (*Keyring, error) {
	if macSize < MinMACSize || macSize > MaxMACSize {
		return nil, fmt.Errorf("an HMAC of %d bytes, must be %d to %d", macSize, MinMACSize, MaxMACSize)
	}
	return &Keyring{keys: make(map[int][]byte), macSize: macSize}, nil
}

// Add takes a key in.
func (k *Keyring) Add(number int, key []byte) error {
	if number <= 0 {
		return errors.New("the number of a key must be positive")
	}
	if len(key) < minKeySize {
		return fmt.Errorf("key %d has %d bytes, must have %d", number, len(key), minKeySize)
	}
	if _, ok := k.keys[number]; ok {
		return fmt.Errorf("key %d is there already", number)
	}
	k.keys[number] = append([]byte(nil), key...)
	k.newest = max(k.newest, number)
	return nil
}

// Parse takes in keys as an environment variable has them: number:hex, separated by commas.
func (k *Keyring) Parse(text string) error {
	for _, part := range strings.Split(text, ",") {
		name, digits, found := strings.Cut(strings.TrimSpace(part), ":")
		number, err := strconv.Atoi(name)
		if !found || err != nil {
			return errors.New("a key is number:hex")
		}
		key, err := hex.DecodeString(digits)
		if err != nil {
			return fmt.Errorf("key %d: %w", number, err)
		}
		if err := k.Add(number, key); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keyring) sign(number int, claims []byte) []byte {
	h := hmac.New(sha256.New, k.keys[number])
	h.Write(claims)
	return h.Sum(nil)
}

// isSigned compares in constant time.
func (k *Keyring) isSigned(number int, claims, mac []byte) bool {
	if _, ok := k.keys[number]; !ok || len(mac) > MaxMACSize {
		return false
	}
	return hmac.Equal(k.sign(number, claims)[:len(mac)], mac)
}
