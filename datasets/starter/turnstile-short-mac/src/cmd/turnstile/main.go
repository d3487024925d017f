// Command turnstile issues and checks tickets, with the keys in TURNSTILE_KEY.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ssebench/turnstile"
)

const usage = "usage: turnstile issue -subject NAME [-scopes A,B] [-for DURATION] [-mac BYTES] | check -scope NAME TICKET"

func issue(out io.Writer, keys string, args []string, now time.Time) error {
	flags := flag.NewFlagSet("issue", flag.ContinueOnError)
	subject := flags.String("subject", "", "who the ticket is for")
	scopes := flags.String("scopes", "", "what it is good for")
	duration := flags.Duration("for", time.Hour, "how long it is good")
	macSize := flags.Int("mac", turnstile.MinMACSize, "bytes of the HMAC")
	if err := flags.Parse(args); err != nil {
		return err
	}
	keyring, err := turnstile.NewKeyring(*macSize)
	if err != nil {
		return err
	}
	if err := keyring.Parse(keys); err != nil {
		return err
	}
	claims := turnstile.Claims{Subject: *subject, Expiry: now.Add(*duration)}
	if *scopes != "" {
		claims.Scopes = strings.Split(*scopes, ",")
	}
	ticket, err := keyring.Issue(claims)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, ticket)
	return err
}

func check(out io.Writer, keys string, args []string, now time.Time) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	scope := flags.String("scope", "", "what it must be good for")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New(usage)
	}
	keyring, err := turnstile.NewKeyring(turnstile.MaxMACSize)
	if err != nil {
		return err
	}
	if err := keyring.Parse(keys); err != nil {
		return err
	}
	claims, err := keyring.Check(flags.Arg(0), *scope, now)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, claims.Subject)
	return err
}

func run(out io.Writer, keys string, args []string, now time.Time) error {
	if len(args) > 0 && args[0] == "issue" {
		return issue(out, keys, args[1:], now)
	}
	if len(args) > 0 && args[0] == "check" {
		return check(out, keys, args[1:], now)
	}
	return errors.New(usage)
}

func main() {
	if err := run(os.Stdout, os.Getenv("TURNSTILE_KEY"), os.Args[1:], time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "turnstile:", err)
		os.Exit(1)
	}
}
