// Package dnsdump decodes DNS messages, RFC 1035.
package dnsdump

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrMalformed is wrapped by every error that Parse returns.
var ErrMalformed = errors.New("malformed message")

// Type is the type of a record.
type Type uint16

// The types whose data is decoded.
const (
	TypeA     Type = 1
	TypeNS    Type = 2
	TypeCNAME Type = 5
	TypePTR   Type = 12
	TypeMX    Type = 15
	TypeTXT   Type = 16
	TypeAAAA  Type = 28
	TypeSRV   Type = 33
)

// Message is one query or answer.
type Message struct {
	ID        uint16
	Response  bool
	Code      uint8
	Questions []Question
	// Records of all three sections, in their order.
	Records []Record
}

// Question is what a query asks for.
type Question struct {
	Name string
	Type Type
}

// Record is what is known of a name.
type Record struct {
	Name string
	Type Type
	TTL  uint32
	// Data as people read it.
	Data string
}

const headerSize = 12

// Parse decodes a message.
func Parse(msg []byte) (*Message, error) {
	if len(msg) < headerSize {
		return nil, fmt.Errorf("%w: the header is cut off", ErrMalformed)
	}
	flags := binary.BigEndian.Uint16(msg[2:])
	message := &Message{ID: binary.BigEndian.Uint16(msg), Response: flags>>15 == 1, Code: uint8(flags & 0xf)}

	d := &decoder{msg: msg, pos: headerSize}
	for range binary.BigEndian.Uint16(msg[4:]) {
		question, err := d.question()
		if err != nil {
			return nil, err
		}
		message.Questions = append(message.Questions, question)
	}
	records := 0
	for section := 6; section < headerSize; section += 2 {
		records += int(binary.BigEndian.Uint16(msg[section:]))
	}
	for range records {
		record, err := d.record()
		if err != nil {
			return nil, err
		}
		message.Records = append(message.Records, record)
	}
	if d.pos != len(msg) {
		return nil, d.fail("bytes after the last record")
	}
	return message, nil
}

func (d *decoder) question() (q Question, err error) {
	if q.Name, err = d.name(); err != nil {
		return q, err
	}
	kind, err := d.uint16()
	if err != nil {
		return q, err
	}
	q.Type = Type(kind)
	_, err = d.uint16()
	return q, err
}

func (d *decoder) record() (r Record, err error) {
	if r.Name, err = d.name(); err != nil {
		return r, err
	}
	fixed, err := d.take(10)
	if err != nil {
		return r, err
	}
	r.Type = Type(binary.BigEndian.Uint16(fixed))
	r.TTL = binary.BigEndian.Uint32(fixed[4:])
	end := d.pos + int(binary.BigEndian.Uint16(fixed[8:]))
	if end > len(d.msg) {
		return r, d.fail("the data of a record is cut off")
	}
	// Names in the data may lead to what comes before, so the decoder keeps the message, up to the end of the data.
	data := &decoder{msg: d.msg[:end], pos: d.pos}
	if r.Data, err = data.data(r.Type); err != nil {
		return r, err
	}
	if data.pos != end {
		return r, data.fail("bytes after the data of a record")
	}
	d.pos = end
	return r, nil
}
