module github.com/ssebench/beacon

go 1.24
