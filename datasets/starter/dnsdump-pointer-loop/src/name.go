package dnsdump

import (
	"fmt"
	"strings"

	"github.com/ssebench/punycode"
)

const (
	maxName = 255
	prefix  = "xn--"
)

// name decodes a name, which may be compressed (RFC 1035, 4.1.4), and ends up behind it.
func (d *decoder) name() (string, error) {
	var labels []string
	size := 1
	pos, behind := d.pos, -1
	for {
		if pos >= len(d.msg) {
			return "", d.fail("a name is cut off")
		}
		first := int(d.msg[pos])
		pos++
		switch first & 0xc0 {
		case 0x00:
			if first == 0 {
				if behind < 0 {
					behind = pos
				}
				d.pos = behind
				return strings.Join(labels, ".") + ".", nil
			}
			if first > len(d.msg)-pos {
				return "", d.fail("a label is cut off")
			}
			if size += 1 + first; size > maxName {
				return "", d.fail("a name is longer than 255 bytes")
			}
			labels = append(labels, label(d.msg[pos:pos+first]))
			pos += first
		case 0xc0:
			if pos == len(d.msg) {
				return "", d.fail("a pointer is cut off")
			}
			target := first&0x3f<<8 | int(d.msg[pos])
			if behind < 0 {
				behind = pos + 1
			}
			pos = target
		default:
			return "", d.fail("a label of an unknown kind")
		}
	}
}

// label gives a label as people read it. Dots within it, backslashes and what can't be printed are escaped as in zone files.
func label(b []byte) string {
	if text := string(b); len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		if decoded, err := punycode.Decode(text[len(prefix):]); err == nil {
			return decoded
		}
	}
	var out strings.Builder
	for _, c := range b {
		switch {
		case c == '.' || c == '\\':
			out.Write([]byte{'\\', c})
		case c <= ' ' || c >= 0x7f:
			fmt.Fprintf(&out, "\\%03d", c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
