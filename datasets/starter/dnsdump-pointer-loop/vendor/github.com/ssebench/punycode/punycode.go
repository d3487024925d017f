// Package punycode decodes the labels of internationalized domain names, RFC 3492.
package punycode

import (
	"errors"
	"math"
	"strings"
	"unicode/utf8"
)

// ErrInvalid is returned for a label that no text is encoded as.
var ErrInvalid = errors.New("invalid punycode")

const (
	base        = 36
	tMin        = 1
	tMax        = 26
	skew        = 38
	damp        = 700
	initialBias = 72
	initialN    = 128
)

// Decode gives the text of a label, without its prefix "xn--".
func Decode(label string) (string, error) {
	basic, encoded := "", label
	if i := strings.LastIndexByte(label, '-'); i >= 0 {
		basic, encoded = label[:i], label[i+1:]
	}
	output := make([]rune, 0, len(label))
	for _, r := range basic {
		if r >= utf8.RuneSelf {
			return "", ErrInvalid
		}
		output = append(output, r)
	}

	n, i, bias := int32(initialN), int32(0), int32(initialBias)
	for pos := 0; pos < len(encoded); {
		old, weight := i, int32(1)
		for k := int32(base); ; k += base {
			if pos == len(encoded) {
				return "", ErrInvalid
			}
			digit, ok := digitOf(encoded[pos])
			pos++
			if !ok || digit > (math.MaxInt32-i)/weight {
				return "", ErrInvalid
			}
			i += digit * weight
			t := min(max(k-bias, tMin), tMax)
			if digit < t {
				break
			}
			if weight > math.MaxInt32/(base-t) {
				return "", ErrInvalid
			}
			weight *= base - t
		}
		count := int32(len(output) + 1)
		bias = adapt(i-old, count, old == 0)
		if i/count > utf8.MaxRune-n {
			return "", ErrInvalid
		}
		n += i / count
		i %= count
		if !utf8.ValidRune(n) {
			return "", ErrInvalid
		}
		output = append(output, 0)
		copy(output[i+1:], output[i:])
		output[i] = n
		i++
	}
	return string(output), nil
}

func digitOf(c byte) (int32, bool) {
	switch {
	case 'a' <= c && c <= 'z':
		return int32(c - 'a'), true
	case 'A' <= c && c <= 'Z':
		return int32(c - 'A'), true
	case '0' <= c && c <= '9':
		return int32(c-'0') + 26, true
	}
	return 0, false
}

func adapt(delta, count int32, first bool) int32 {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / count
	k := int32(0)
	for delta > (base-tMin)*tMax/2 {
		delta /= base - tMin
		k += base
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}
