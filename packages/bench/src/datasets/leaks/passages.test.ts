import { expect, test } from 'vitest';
import { passagesOf } from './passages.ts';

const DIFF = `diff --git a/src/parse.c b/src/parse.c
--- a/src/parse.c
+++ b/src/parse.c
@@ -10,4 +10,9 @@ int parse(void)
 	int length = read_length();
-	copy(length);
+	if (length < 0 || length > MAX_LENGTH)
+	{
+		report("length is out of bounds");
+		return ERROR_LENGTH;
+	}
 	return 0;
@@ -40,2 +45,3 @@
 context
+	x = 1;
+++ still_added_line = "with plus signs";
`;

test('added lines make passages of three; lines of signs count for nothing', () => {
  expect(passagesOf('patch', DIFF)).toEqual([
    {
      origin: 'patch',
      file: 'src/parse.c',
      lines: ['if (length < 0 || length > MAX_LENGTH)', 'report("length is out of bounds");', 'return ERROR_LENGTH;'],
      needle: 'if (length < 0 || length > MAX_LENGTH)',
    },
    {
      origin: 'patch',
      file: 'src/parse.c',
      lines: ['++ still_added_line = "with plus signs";'],
      needle: '++ still_added_line = "with plus signs";',
    },
  ]);
});

test('four lines are two passages that overlap, and what is too short is none', () => {
  const lines = ['first_line_of_all();', 'second_line_of_all();', 'third_line_of_all();', 'fourth_line_of_all();'];
  const diff = (added: readonly string[]) => `+++ b/a.c\n@@ -0,0 +1 @@\n${added.map((line) => `+${line}\n`).join('')}`;
  expect(passagesOf('tests', diff(lines)).map((passage) => passage.lines)).toEqual([
    lines.slice(0, 3),
    lines.slice(1, 4),
  ]);
  expect(passagesOf('tests', diff(['short();']))).toEqual([]);
  expect(passagesOf('patch', diff(['if (b < 0) {', '   return MP_VAL;', '}']))).toEqual([]);
});

test('the needle has no white space that a copy may change', () => {
  const diff = '+++ b/a.c\n@@ -0,0 +1 @@\n+\tint aligned;\t\t/* a comment that is long */\n';
  expect(passagesOf('patch', diff)[0]?.needle).toBe('/* a comment that is long */');
});
