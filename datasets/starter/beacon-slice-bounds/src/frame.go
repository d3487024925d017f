// Package beacon encodes and decodes the frames that sensors send.
package beacon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// ErrMalformed is wrapped by every error that Decode returns.
var ErrMalformed = errors.New("malformed frame")

var magic = []byte{0xbe, 0xac}

const version = 1

// Frame is what one sensor sends at once.
type Frame struct {
	Device  uint64
	Time    time.Time
	Records []Record
}

// Decode reads the frame at the start of data. It also returns what comes after it.
func Decode(data []byte) (frame Frame, rest []byte, err error) {
	r := &reader{buf: data}
	start, err := r.take(uint64(len(magic)))
	if err != nil {
		return frame, nil, err
	}
	if !bytes.Equal(start, magic) {
		return frame, nil, r.fail("no frame starts")
	}
	v, err := r.byte()
	if err != nil {
		return frame, nil, err
	}
	if v != version {
		return frame, nil, r.fail("an unknown version")
	}
	length, err := r.uvarint()
	if err != nil {
		return frame, nil, err
	}
	body, err := r.take(length)
	if err != nil {
		return frame, nil, err
	}
	sum, err := r.take(crc32.Size)
	if err != nil {
		return frame, nil, err
	}
	if binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(body) {
		return frame, nil, r.fail("the checksum is wrong")
	}
	frame, err = decodeBody(body)
	if err != nil {
		return frame, nil, err
	}
	return frame, data[r.pos:], nil
}

func decodeBody(body []byte) (frame Frame, err error) {
	r := &reader{buf: body}
	if frame.Device, err = r.uvarint(); err != nil {
		return frame, err
	}
	ms, err := r.uvarint()
	if err != nil {
		return frame, err
	}
	frame.Time = time.UnixMilli(int64(ms)).UTC()
	for !r.done() {
		kind, err := r.byte()
		if err != nil {
			return frame, err
		}
		length, err := r.uvarint()
		if err != nil {
			return frame, err
		}
		value, err := r.take(length)
		if err != nil {
			return frame, err
		}
		record, err := decodeRecord(Kind(kind), value)
		if err != nil {
			return frame, err
		}
		frame.Records = append(frame.Records, record)
	}
	return frame, nil
}

// Append adds the encoded frame to dst.
func Append(dst []byte, frame Frame) []byte {
	body := binary.AppendUvarint(nil, frame.Device)
	body = binary.AppendUvarint(body, uint64(frame.Time.UnixMilli()))
	for _, record := range frame.Records {
		value := record.encode()
		body = append(body, byte(record.Kind()))
		body = binary.AppendUvarint(body, uint64(len(value)))
		body = append(body, value...)
	}
	dst = append(dst, magic...)
	dst = append(dst, version)
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	dst = append(dst, body...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(body))
}
