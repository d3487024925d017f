module fetch

go 1.24

require github.com/buger/jsonparser v0.0.0-20191204142016-1a29609e0929
