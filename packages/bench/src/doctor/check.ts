export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One thing that `ssebench doctor` looked at. Source of the keys: spec/host §11. */
export interface DoctorCheck {
  name: string;
  status: CheckStatus;
  /** What was found. */
  detail: string;
  /** What to do about it, a command where there is one; null when nothing is to be done. */
  fix: string | null;
}

export function ok(name: string, detail: string): DoctorCheck {
  return { name, status: 'ok', detail, fix: null };
}

export function warning(name: string, detail: string, fix: string): DoctorCheck {
  return { name, status: 'warn', detail, fix };
}

export function failure(name: string, detail: string, fix: string): DoctorCheck {
  return { name, status: 'fail', detail, fix };
}

/** `1.5 GiB` */
export function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
