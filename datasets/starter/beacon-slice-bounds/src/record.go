package beacon

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the type of a record.
type Kind byte

// The types that sensors send today.
const (
	KindTemperature Kind = 1
	KindBattery     Kind = 2
	KindLabel       Kind = 3
	KindPosition    Kind = 4
	KindSamples     Kind = 5
)

// Record is one measurement. String gives it as people read it.
type Record interface {
	Kind() Kind
	String() string
	encode() []byte
}

// Temperature is in hundredths of a degree Celsius.
type Temperature int16

// Battery is the charge in per cent.
type Battery uint8

// Label is a text that whoever put the sensor up gave it.
type Label string

// Position is in units of 1e-7 degrees.
type Position struct{ Latitude, Longitude int32 }

// Samples is a series of readings.
type Samples []int64

// Unknown is a record of a type that this version does not know.
type Unknown struct {
	Type  Kind
	Value []byte
}

func (Temperature) Kind() Kind { return KindTemperature }
func (Battery) Kind() Kind     { return KindBattery }
func (Label) Kind() Kind       { return KindLabel }
func (Position) Kind() Kind    { return KindPosition }
func (Samples) Kind() Kind     { return KindSamples }
func (u Unknown) Kind() Kind   { return u.Type }

func (t Temperature) String() string { return fmt.Sprintf("temperature %.2f", float64(t)/100) }
func (b Battery) String() string     { return fmt.Sprintf("battery %d%%", uint8(b)) }
func (l Label) String() string       { return fmt.Sprintf("label %q", string(l)) }
func (p Position) String() string {
	return fmt.Sprintf("position %.7f %.7f", float64(p.Latitude)/1e7, float64(p.Longitude)/1e7)
}
func (s Samples) String() string {
	return "samples " + strings.Trim(fmt.Sprint([]int64(s)), "[]")
}
func (u Unknown) String() string { return fmt.Sprintf("type %d: %x", u.Type, u.Value) }

func (t Temperature) encode() []byte { return binary.BigEndian.AppendUint16(nil, uint16(t)) }
func (b Battery) encode() []byte     { return []byte{byte(b)} }
func (l Label) encode() []byte       { return []byte(l) }
func (p Position) encode() []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(p.Latitude)), uint32(p.Longitude))
}
func (s Samples) encode() []byte {
	value := binary.AppendUvarint(nil, uint64(len(s)))
	last := int64(0)
	for _, sample := range s {
		value = binary.AppendVarint(value, sample-last)
		last = sample
	}
	return value
}
func (u Unknown) encode() []byte { return u.Value }

func decodeRecord(kind Kind, value []byte) (Record, error) {
	r := &reader{buf: value}
	switch kind {
	case KindTemperature:
		if len(value) != 2 {
			return nil, r.fail("a temperature is 2 bytes long")
		}
		return Temperature(binary.BigEndian.Uint16(value)), nil
	case KindBattery:
		if len(value) != 1 || value[0] > 100 {
			return nil, r.fail("a battery is one byte, up to 100")
		}
		return Battery(value[0]), nil
	case KindLabel:
		if !utf8.Valid(value) {
			return nil, r.fail("a label is not UTF-8")
		}
		return Label(value), nil
	case KindPosition:
		if len(value) != 8 {
			return nil, r.fail("a position is 8 bytes long")
		}
		return Position{int32(binary.BigEndian.Uint32(value)), int32(binary.BigEndian.Uint32(value[4:]))}, nil
	case KindSamples:
		return decodeSamples(r)
	}
	return Unknown{kind, append([]byte(nil), value...)}, nil
}

func decodeSamples(r *reader) (Record, error) {
	count, err := r.uvarint()
	if err != nil {
		return nil, err
	}
	if count > uint64(r.left()) {
		return nil, r.fail("more samples are announced than there are bytes")
	}
	samples := make(Samples, count)
	last := int64(0)
	for i := range samples {
		delta, err := r.varint()
		if err != nil {
			return nil, err
		}
		last += delta
		samples[i] = last
	}
	if !r.done() {
		return nil, r.fail("bytes after the last sample")
	}
	return samples, nil
}
