module fetch

go 1.24

require github.com/dhowden/tag v0.0.0-20200828214007-46e57f75dbfc
