package beacon

import (
	"encoding/binary"
	"fmt"
)

// reader takes values from the front of a byte slice.
type reader struct {
	buf []byte
	pos int
}

func (r *reader) done() bool {
	return r.pos == len(r.buf)
}

func (r *reader) left() int {
	return len(r.buf) - r.pos
}

func (r *reader) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrMalformed, what, r.pos)
}

func (r *reader) byte() (byte, error) {
	if r.done() {
		return 0, r.fail("a byte is missing")
	}
	b := r.buf[r.pos]
	r.pos++
	return b, nil
}

// take returns the next n bytes, without a copy.
func (r *reader) take(n uint64) ([]byte, error) {
	end := r.pos + int(n)
	if end > len(r.buf) {
		return nil, r.fail(fmt.Sprintf("%d bytes are announced, %d are left", n, r.left()))
	}
	b := r.buf[r.pos:end]
	r.pos = end
	return b, nil
}

func (r *reader) uvarint() (uint64, error) {
	v, size := binary.Uvarint(r.buf[r.pos:])
	if size <= 0 {
		return 0, r.fail("a varint is cut off or too long")
	}
	r.pos += size
	return v, nil
}

func (r *reader) varint() (int64, error) {
	v, size := binary.Varint(r.buf[r.pos:])
	if size <= 0 {
		return 0, r.fail("a varint is cut off or too long")
	}
	r.pos += size
	return v, nil
}
