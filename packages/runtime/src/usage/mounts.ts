/** A mount of this process's world. Source: proc_pid_mountinfo(5). */
export interface MountPoint {
  path: string;
  fileSystem: string;
}

/** Reads `/proc/self/mountinfo`: field 5 is the path, with blanks as octal escapes; the type follows a lone `-`. */
export function parseMounts(text: string): MountPoint[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const [path, fileSystem] = [fields[4], fields[fields.indexOf('-', 6) + 1]];
    if (path === undefined || fileSystem === undefined) return [];
    return [
      {
        path: path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
        fileSystem,
      },
    ];
  });
}
