import { expect, test } from 'vitest';
import { missingTests, passedTests } from './test-names.ts';

test('go test -v: subtests count, skipped and failed ones do not', () => {
  const output = `=== RUN   TestRead
=== RUN   TestRead/empty
--- PASS: TestRead (0.00s)
    --- PASS: TestRead/empty (0.00s)
--- SKIP: TestSlow (0.00s)
--- FAIL: TestWrite (0.01s)
ok  	example.org/x	0.004s`;
  expect(passedTests('go', output)).toEqual(['TestRead', 'TestRead/empty']);
});

test('go test -json: with the package, and what programs print beside it is no matter', () => {
  const output = `{"Action":"run","Package":"x/a","Test":"TestOne"}
{"Action":"pass","Package":"x/a","Test":"TestOne","Elapsed":0}
{not json
{"Action":"pass","Package":"x/a"}
{"Action":"fail","Package":"x/a","Test":"TestTwo"}`;
  expect(passedTests('go', output)).toEqual(['x/a.TestOne']);
});

test('libtest: of several binaries with a test of one name each counts', () => {
  const output = `running 3 tests
test unit::reads ... ok
test unit::panics - should panic ... ok
test unit::slow ... ignored
test reads ... FAILED
test reads ... ok
test reads ... some print ok
test result: ok. 2 passed; 0 failed`;
  expect(passedTests('libtest', output)).toEqual(['reads', 'reads (2)', 'unit::panics', 'unit::reads']);
});

test('TAP: numbered or not; skipped and not yet working tests are none', () => {
  const output = `1..6
ok 1 - opens
ok 2 closes
not ok 3 - reads
ok 4 - later # TODO not yet
ok 5 # skip no network
ok   without a number`;
  expect(passedTests('tap', output)).toEqual(['closes', 'opens', 'without a number']);
});

test('a pattern: its first group, else all of it', () => {
  expect(passedTests({ pattern: '^PASS (\\S+)$' }, 'PASS a\nFAIL b\nPASS c')).toEqual(['a', 'c']);
  expect(passedTests({ pattern: '^t\\d$' }, 't1\nt2')).toEqual(['t1', 't2']);
});

test('a recorded test that did not pass is missing', () => {
  expect(missingTests(['a', 'b', 'b (2)'], ['a', 'b', 'new'])).toEqual(['b (2)']);
});
