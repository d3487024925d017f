module github.com/ssebench/turnstile

go 1.24
