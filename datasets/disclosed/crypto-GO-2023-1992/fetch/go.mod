module fetch

go 1.24

require golang.org/x/crypto v0.0.0-20190422183909-d864b10871cd
