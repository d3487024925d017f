package beacon

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"
)

var example = Frame{
	Device: 300,
	Time:   time.UnixMilli(1_700_000_000_123).UTC(),
	Records: []Record{
		Temperature(2150),
		Battery(99),
		Label("Küche"),
		Position{525_200_066, -134_050_000},
		Samples{10, 12, 9, -4, math.MaxInt64, math.MinInt64},
		Unknown{42, []byte{0, 1, 2}},
	},
}

func TestDecodeGivesBackWhatAppendTook(t *testing.T) {
	frames := []Frame{
		example,
		{Device: math.MaxUint64, Time: time.UnixMilli(0).UTC()},
		{Time: example.Time, Records: []Record{Label(""), Samples{}, Unknown{0, nil}}},
	}
	for _, want := range frames {
		got, rest, err := Decode(Append(nil, want))
		if err != nil || len(rest) != 0 {
			t.Fatalf("error %v, %d bytes left", err, len(rest))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestTheBytesOfAFrame(t *testing.T) {
	got := hex.EncodeToString(Append(nil, Frame{Device: 1, Time: time.UnixMilli(1000), Records: []Record{Battery(50)}}))
	if want := "beac010601e8070201322da5720e"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeLeavesWhatComesAfterTheFrame(t *testing.T) {
	data := Append(Append(nil, example), Frame{Device: 2, Time: example.Time})
	_, rest, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	second, rest, err := Decode(rest)
	if err != nil || second.Device != 2 || len(rest) != 0 {
		t.Errorf("%+v, %d bytes left, error %v", second, len(rest), err)
	}
}

func TestEveryPrefixOfAFrameIsMalformed(t *testing.T) {
	data := Append(nil, example)
	for n := range data {
		if _, _, err := Decode(data[:n]); !errors.Is(err, ErrMalformed) {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
}

func TestEveryChangedByteIsNoticed(t *testing.T) {
	data := Append(nil, example)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x10
		if _, _, err := Decode(changed); !errors.Is(err, ErrMalformed) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

func TestRecordsWithAWrongValue(t *testing.T) {
	for name, record := range map[string]Unknown{
		"a temperature of one byte":     {KindTemperature, []byte{1}},
		"a battery above 100":           {KindBattery, []byte{101}},
		"a label that is not UTF-8":     {KindLabel, []byte{0xff}},
		"a position of 9 bytes":         {KindPosition, make([]byte, 9)},
		"samples without a number":      {KindSamples, nil},
		"more samples than bytes":       {KindSamples, []byte{3, 2, 2}},
		"bytes after the last sample":   {KindSamples, []byte{1, 2, 2}},
		"a sample that is cut off":      {KindSamples, []byte{1, 0x80}},
		"a number of samples too large": {KindSamples, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
	} {
		frame := Frame{Time: example.Time, Records: []Record{record}}
		if _, _, err := Decode(Append(nil, frame)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
