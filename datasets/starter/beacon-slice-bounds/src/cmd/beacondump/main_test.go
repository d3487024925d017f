package main

import (
	"strings"
	"testing"
	"time"

	"github.com/ssebench/beacon"
)

func TestDumpPrintsEveryFrame(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	data := beacon.Append(nil, beacon.Frame{Device: 7, Time: at, Records: []beacon.Record{
		beacon.Temperature(-150), beacon.Battery(80), beacon.Label("roof"),
	}})
	data = beacon.Append(data, beacon.Frame{Device: 8, Time: at.Add(time.Minute), Records: []beacon.Record{
		beacon.Samples{3, 1, 2}, beacon.Unknown{Type: 9, Value: []byte{1, 0xff}},
	}})
	var out strings.Builder
	if err := dump(&out, data); err != nil {
		t.Fatal(err)
	}
	want := `device 7, 2024-05-01T12:00:00Z
  temperature -1.50
  battery 80%
  label "roof"
device 8, 2024-05-01T12:01:00Z
  samples 3 1 2
  type 9: 01ff
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestDumpStopsAtTheFirstBadFrame(t *testing.T) {
	data := beacon.Append(nil, beacon.Frame{Device: 7, Time: time.UnixMilli(0)})
	var out strings.Builder
	err := dump(&out, append(data, "garbage"...))
	if err == nil || !strings.HasPrefix(out.String(), "device 7,") {
		t.Errorf("error %v after %q", err, out.String())
	}
}
