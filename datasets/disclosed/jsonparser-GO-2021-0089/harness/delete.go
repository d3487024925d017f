// Deletes a key from a document: the first line of the file has the path, its keys between slashes, and the rest is the document.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/buger/jsonparser"
)

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Println("cannot read the document:", err)
		os.Exit(2)
	}
	path, document, _ := bytes.Cut(file, []byte("\n"))
	keys := strings.Split(string(path), "/")
	fmt.Printf("delete %q of %q\n", keys, document)
	fmt.Printf("left: %q\n", jsonparser.Delete(document, keys...))
}
