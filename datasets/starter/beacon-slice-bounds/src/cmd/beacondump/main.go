// Command beacondump prints the frames in a file.
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ssebench/beacon"
)

func dump(out io.Writer, data []byte) error {
	for len(data) > 0 {
		frame, rest, err := beacon.Decode(data)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "device %d, %s\n", frame.Device, frame.Time.Format(time.RFC3339))
		for _, record := range frame.Records {
			fmt.Fprintf(out, "  %s\n", record)
		}
		data = rest
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: beacondump FILE")
		os.Exit(2)
	}
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = dump(os.Stdout, data)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "beacondump:", err)
		os.Exit(1)
	}
}
