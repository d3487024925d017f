import { expect, test } from 'vitest';
import { isTestFile } from './test-files.ts';

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

test.each(
  lines(`
    tests/data/server.ini
    test/x
    src/foo/tests/mod.rs
    Tests/Parser.c
    lib/testdata/fuzz/corpus/1
    t/index_range.c
    test-suite/a
    tests
    test
    src/test_parser.c
    src/parser_test.c
    src/parser-tests.cpp
    src/ParserTest.cc
    src/TestParser.cpp
    tests.rs
    src/test.rs
    scripts/run_tests.sh
    runtests.py
    conftest.py
    a/b/conftest.py
    src/checks/__snapshots__/a
  `),
)('%s is a test or what belongs to one', (path) => expect(isTestFile(path)).toBe(true));

test.each(
  lines(`
    Makefile
    GNUmakefile
    lib/makefile
    Makefile.am
    Makefile.in
    common.mk
    CMakeLists.txt
    cmake/FindX.cmake
    CMakeUserPresets.json
    CTestCustom.cmake
    configure
    configure.ac
    m4/warnings.m4
    build-aux/test-driver
    meson.build
    sub/meson.build
    SConstruct
    BUILD.bazel
    build.sh
    ci/build-all.sh
    asan.supp
    .github/workflows/ci.yml
    .gitlab-ci.yml
    Jenkinsfile
    .proverc
    .valgrindrc
    justfile
    include/assert.h
  `),
)('%s builds a project or starts its tests', (path) => expect(isTestFile(path)).toBe(true));

test.each(
  lines(`
    go.mod
    go.sum
    go.work
    internal/go.mod
    frame_test.go
    cmd/x/main_test.go
    asm_test.s
    vendor/modules.txt
    vendor/github.com/stretchr/testify/assert/assertions.go
  `),
)('%s decides what go test runs', (path) => expect(isTestFile(path)).toBe(true));

test.each(
  lines(`
    Cargo.toml
    crates/a/Cargo.toml
    Cargo.lock
    build.rs
    crates/a/build.rs
    .cargo/config.toml
    .cargo/config
    crates/a/.cargo/config.toml
    rust-toolchain
    rust-toolchain.toml
    .config/nextest.toml
    benches/speed.rs
    vendor/proptest-1.4.0/src/lib.rs
    vendor/x/.cargo-checksum.json
    proptest-regressions/a.txt
  `),
)('%s decides what cargo test runs', (path) => expect(isTestFile(path)).toBe(true));

test.each(
  lines(`
    src/lib.rs
    src/attest.rs
    src/latest.c
    src/contest.go
    src/fastest/a.c
    text.c
    reader.go
    protest.c
    check.c
    build.c
    src/build/mod.rs
    config.h
    configuration.c
    makefiles.c
    cmake.c
    README.md
    docs/testing.md
    testimony.c
    vendor/github.com/other/lib/lib.go
    src/cargo/mod.rs
    go/modfile.go
    specs/parser.c
    unityscript/a.c
  `),
)('%s is a source file', (path) => expect(isTestFile(path)).toBe(false));

test('names are told apart from names that they are part of, whatever bytes they hold', () => {
  expect(isTestFile('src/tests\nx.c')).toBe(false);
  expect(isTestFile('src/a\nb_test.go')).toBe(true);
  expect(isTestFile('a\n.mk')).toBe(true);
  expect(isTestFile('src/Makefile\n')).toBe(false);
  expect(isTestFile('\xff\xfe/tests/\xff')).toBe(true);
});
