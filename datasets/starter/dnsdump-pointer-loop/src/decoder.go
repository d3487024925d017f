package dnsdump

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
)

// decoder takes values from a message, one after the other.
type decoder struct {
	msg []byte
	pos int
}

func (d *decoder) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrMalformed, what, d.pos)
}

func (d *decoder) take(n int) ([]byte, error) {
	if n > len(d.msg)-d.pos {
		return nil, d.fail(fmt.Sprintf("%d bytes are missing", n-(len(d.msg)-d.pos)))
	}
	b := d.msg[d.pos : d.pos+n]
	d.pos += n
	return b, nil
}

func (d *decoder) uint16() (uint16, error) {
	b, err := d.take(2)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint16(b), nil
}

// data decodes all that is left, as data of that type.
func (d *decoder) data(kind Type) (string, error) {
	switch kind {
	case TypeA:
		return d.address(4)
	case TypeAAAA:
		return d.address(16)
	case TypeNS, TypeCNAME, TypePTR:
		return d.name()
	case TypeMX:
		return d.numbersAndName(1)
	case TypeSRV:
		return d.numbersAndName(3)
	case TypeTXT:
		return d.texts()
	}
	b, err := d.take(len(d.msg) - d.pos)
	return fmt.Sprintf("%x", b), err
}

func (d *decoder) address(size int) (string, error) {
	b, err := d.take(size)
	if err != nil {
		return "", err
	}
	address, _ := netip.AddrFromSlice(b)
	return address.String(), nil
}

func (d *decoder) numbersAndName(count int) (string, error) {
	var parts []string
	for range count {
		n, err := d.uint16()
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprint(n))
	}
	name, err := d.name()
	return strings.Join(append(parts, name), " "), err
}

func (d *decoder) texts() (string, error) {
	var parts []string
	for d.pos < len(d.msg) {
		size, err := d.take(1)
		if err != nil {
			return "", err
		}
		text, err := d.take(int(size[0]))
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("%q", text))
	}
	return strings.Join(parts, " "), nil
}
