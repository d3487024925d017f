/**
 * Which files of a project decide what its tests are and how they run. A patch that touches one of them could have
 * changed the judge in place of the bug. Sources: facts, "Ways to cheat"; the manuals of the tools that read the files.
 */

/** Files of one kind: by the name of a directory above them or their own, or by their own name. */
interface FileRule {
  /** Any component of the path, lower case. */
  components?: ReadonlySet<string>;
  /** The last component. */
  names?: ReadonlySet<string>;
  /** The last component. */
  pattern?: RegExp;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Extensions of what a test or a script of a build may be written in. */
const CODE = '(?:c|cc|cpp|cxx|h|hh|hpp|go|rs|s|sh|bash|py|pl|t|lua|tcl|rb|js|mjs|ts|in|am|mk|y|l)';

/** Tests of any language, by the habits of naming them. */
const TESTS: FileRule = {
  components: names(`
    test tests testing testdata test-data test_data testcase testcases testsuite testsuites test-suite test-suites
    test_suite unittest unittests unit_tests e2e regress t __tests__ __snapshots__ fixtures`),
  names: names('assert.h cassert conftest.py run-tests runtests run_tests sitecustomize.py usercustomize.py'),
  pattern: new RegExp(
    String.raw`^(?:tests?|run[-_]?tests?|tests?[-_].*|.*[-_.]tests?|Test[A-Z0-9].*|.*[a-z0-9]Tests?)\.${CODE}$`,
    's',
  ),
};

/** Libraries that tests assert with, where a project keeps a copy; `name-1.2.3`, too. */
const TEST_LIBRARIES: FileRule = {
  components: names(`
    googletest gtest gmock catch2 cmocka criterion doctest greatest munit unity
    testify ginkgo gomega gocheck check.v1 go-cmp quicktest gotest.tools goleak
    proptest quickcheck rstest insta assert_cmd trybuild libtest-mimic`),
};

/** What starts tests, and what the tools that do read beside them. */
const RUNNERS: FileRule = {
  components: names('.github .gitlab .circleci .buildkite .builds .semaphore .woodpecker .forgejo .gitea'),
  names: names(`
    .gitlab-ci.yml .travis.yml .cirrus.yml .cirrus.star .drone.yml .woodpecker.yml .appveyor.yml appveyor.yml
    azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile buildspec.yml
    justfile Justfile .justfile Taskfile.yml Taskfile.yaml Earthfile dagger.json
    tox.ini noxfile.py pytest.ini .proverc .valgrindrc .gdbinit .lldbinit .sancov
    setup.py setup.cfg pyproject.toml package.json`),
  pattern: /^(?:(?:build|check|ci|make|bootstrap|autogen)(?:[-_].*)?\.(?:sh|bash|py|pl)|.*\.supp)$/s,
};

/** Make, CMake, Autotools, Meson and the rest: most C projects, and many others. */
const C_BUILDS: FileRule = {
  names: names(`
    Makefile makefile GNUmakefile BSDmakefile Kbuild Kconfig .config
    CMakeLists.txt CMakePresets.json CMakeUserPresets.json CTestTestfile.cmake CTestConfig.cmake CTestCustom.cmake
    autogen bootstrap acinclude.m4 aclocal.m4 test-driver ltmain.sh libtool depcomp install-sh mkinstalldirs missing
    compile ylwrap config.guess config.sub config.rpath config.site
    meson.build meson.options meson_options.txt build.ninja
    BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel .bazelrc
    SConstruct SConscript wscript Jamfile Jamroot xmake.lua Tupfile build.zig build.zig.zon
    conanfile.py conanfile.txt vcpkg.json vcpkg-configuration.json`),
  pattern:
    /^(?:(?:GNU)?[Mm]akefile[._-].+|.+\.(?:mk|mak|make|makefile|cmake|m4|bzl|ac|gyp|gypi)|configure(?:\..*)?|premake\d*\.lua)$/s,
};

const GO: FileRule = {
  names: names('go.mod go.sum go.work go.work.sum go.env magefile.go mage.go modules.txt'),
  pattern: /_test\.(?:go|s)$/,
};

const RUST: FileRule = {
  components: names('.cargo benches fuzz proptest-regressions'),
  names: names(`
    Cargo.toml Cargo.lock build.rs rust-toolchain rust-toolchain.toml .cargo-checksum.json nextest.toml Cross.toml
    tarpaulin.toml`),
  pattern: /\.(?:snap|proptest-regressions)$/,
};

/** The lists of all languages hold for every project: many mix them, and no list claims what another language calls a source file. */
const RULES: readonly FileRule[] = [TESTS, TEST_LIBRARIES, RUNNERS, C_BUILDS, GO, RUST];

/**
 * Whether the file at `path` is a test, test data, a build script or test configuration by its name, at any depth. It
 * need not exist: a file that a patch adds takes over from the project's own under the same names.
 * @param path relative to the project, parts separated by `/`
 */
export function isTestFile(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  const lower = parts.map((part) => withoutVersion(part.toLowerCase()));
  return RULES.some(
    (rule) =>
      rule.names?.has(name) || rule.pattern?.test(name) || lower.some((part) => rule.components?.has(part) ?? false),
  );
}

/** `proptest-1.4.0` is `proptest`. */
function withoutVersion(part: string): string {
  return part.replace(/-v?\d+(?:\.\d+)*$/, '');
}
