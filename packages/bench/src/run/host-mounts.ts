import type { EngineAbilities } from '@ssebench/engine/port';
import type { HostMounts } from '../config/settings.ts';

const OFF = 'the setting SSEBENCH_HOST_MOUNTS is off';

/** What may be used of an engine: with `SSEBENCH_HOST_MOUNTS=off` nothing of this machine is mounted, whatever a probe found. */
export function allowedAbilities(found: EngineAbilities, hostMounts: HostMounts): EngineAbilities {
  if (hostMounts === 'auto') return found;
  const reasons = { ...found.reasons, hostMounts: OFF, socketMounts: OFF };
  return { ...found, hostMounts: false, socketMounts: false, reasons };
}
