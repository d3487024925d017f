// Command dnsdump prints the DNS messages in files.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ssebench/dnsdump"
)

var typeNames = map[dnsdump.Type]string{
	dnsdump.TypeA: "A", dnsdump.TypeAAAA: "AAAA", dnsdump.TypeNS: "NS", dnsdump.TypeCNAME: "CNAME",
	dnsdump.TypePTR: "PTR", dnsdump.TypeMX: "MX", dnsdump.TypeTXT: "TXT", dnsdump.TypeSRV: "SRV",
}

func typeName(t dnsdump.Type) string {
	if name, ok := typeNames[t]; ok {
		return name
	}
	return fmt.Sprintf("TYPE%d", t)
}

func dump(out io.Writer, msg []byte) error {
	message, err := dnsdump.Parse(msg)
	if err != nil {
		return err
	}
	kind := "query"
	if message.Response {
		kind = "answer"
	}
	fmt.Fprintf(out, "%s %d, code %d\n", kind, message.ID, message.Code)
	for _, q := range message.Questions {
		fmt.Fprintf(out, "  ? %s %s\n", q.Name, typeName(q.Type))
	}
	for _, r := range message.Records {
		fmt.Fprintf(out, "  %s %d %s %s\n", r.Name, r.TTL, typeName(r.Type), r.Data)
	}
	return nil
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: dnsdump FILE...")
		os.Exit(2)
	}
	status := 0
	for _, path := range os.Args[1:] {
		msg, err := os.ReadFile(path)
		if err == nil {
			err = dump(os.Stdout, msg)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "dnsdump: %s: %v\n", path, err)
			status = 1
		}
	}
	os.Exit(status)
}
