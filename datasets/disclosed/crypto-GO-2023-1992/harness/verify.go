// Checks a clearsigned message and says what its signer said. Ends with 1 when a line that tells of Mallory belongs to a message with a good signature,
// and was never signed.
package main

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/crypto/openpgp"
	"golang.org/x/crypto/openpgp/clearsign"
)

func main() {
	keys, err := os.Open(os.Args[1])
	check(err)
	keyring, err := openpgp.ReadArmoredKeyRing(keys)
	check(err)
	message, err := os.ReadFile(os.Args[2])
	check(err)
	block, _ := clearsign.Decode(message)
	if block == nil {
		fmt.Println("no signed message")
		return
	}
	signer, err := openpgp.CheckDetachedSignature(keyring, bytes.NewReader(block.Bytes), block.ArmoredSignature.Body)
	if err != nil {
		fmt.Println("bad signature:", err)
		return
	}
	for name := range signer.Identities {
		fmt.Println("good signature of", name)
	}
	fmt.Printf("signed: %q\nnot signed: %q\n", block.Plaintext, block.Headers)
	if bytes.Contains(message, []byte("Mallory")) && !bytes.Contains(block.Plaintext, []byte("Mallory")) {
		fmt.Println("BUG: the message tells of Mallory, its signer did not")
		os.Exit(1)
	}
}

func check(err error) {
	if err != nil {
		fmt.Println("cannot check the message:", err)
		os.Exit(2)
	}
}
