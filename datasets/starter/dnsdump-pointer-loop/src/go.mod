module github.com/ssebench/dnsdump

go 1.24

require github.com/ssebench/punycode v1.1.0
