/** A diff that adds a file of one line. */
export function added(file: string, line = file): string {
  return `diff --git a/${file} b/${file}\nnew file mode 100644\n--- /dev/null\n+++ b/${file}\n@@ -0,0 +1 @@\n+${line}\n`;
}
