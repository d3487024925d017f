import { randomBytes } from 'node:crypto';
import { existsSync, statfsSync } from 'node:fs';
import { LABEL } from '@ssebench/contracts/labels';
import type { ContainerEngine, EngineAbilities, EngineInfo } from '@ssebench/engine/port';
import { type DoctorCheck, failure, gib, ok, warning } from './check.ts';

const GIB = 2 ** 30;
/** Source: spec/host §11. */
const DISK = { fail: 10 * GIB, warn: 50 * GIB };
const MEMORY = { fail: 1 * GIB, warn: 4 * GIB };
/** An engine tells a volume's time in whole seconds, so two are within its error. Milliseconds. */
const CLOCK_ERROR = 3_000;

export async function engineCheck(engine: ContainerEngine): Promise<DoctorCheck> {
  const { product, version, apiVersion } = await engine.version();
  const { storageDriver, cgroupVersion, securityOptions, kernel } = await engine.info();
  const shown = product === 'docker' ? 'Docker' : 'Podman';
  const about = [`API ${apiVersion}`, storageDriver, `cgroup v${cgroupVersion}`, ...securityOptions, `Linux ${kernel}`];
  return ok('Container engine', `${shown} ${version} at ${engine.address} (${about.join(', ')})`);
}

/** What the probes found, each ability with what follows from it for runs. The whole table: docs/engines.md. */
export function abilityChecks(abilities: EngineAbilities): DoctorCheck[] {
  const { hostMounts, socketMounts, users, buildkit, limits, reasons } = abilities;
  const why = (ability: string, consequence: string) => `${reasons[ability] ?? 'not there'}: ${consequence}`;
  const missing = (['memory', 'cpus', 'pids'] as const).filter((limit) => !limits[limit]);
  return [
    runsCheck(abilities),
    hostMounts
      ? ok('Host directories', 'containers and host see the same files')
      : warning(
          'Host directories',
          why('hostMounts', 'results go through volumes of the engine, which takes a second or two for each run'),
          'nothing has to be done; an engine on this machine that may use the results folder is faster',
        ),
    socketMounts
      ? ok('Host sockets', "a container's socket can be reached from the host")
      : warning(
          'Host sockets',
          why('socketMounts', 'progress shows the phases, not each check'),
          'nothing has to be done; an engine that does not run in a virtual machine shows more',
        ),
    users
      ? ok('Users', 'root can become other users in a container')
      : failure(
          'Users',
          why('users', 'no run can begin'),
          "give the engine's user a range of subordinate ids (/etc/subuid, /etc/subgid), or use an engine of root's",
        ),
    buildkit
      ? ok('Builds', 'steps can mount files of other images')
      : failure('Builds', why('buildkit', 'no image can be built'), 'use Docker 20.10 or later, or Podman 4 or later'),
    missing.length === 0
      ? ok('Limits', `memory, CPUs and processes can be limited${limits.disk ? ', and disk' : ''}`)
      : warning(
          'Limits',
          `no limit for ${missing.join(', ')}: ${[...new Set(missing.map((limit) => reasons[limit] ?? ''))].join('; ')}`,
          "enable the cgroup controllers for the engine; a rootless one needs cgroups v2 and systemd's delegation",
        ),
    limits.disk
      ? ok('Disk limit', 'what a container writes can be limited')
      : warning(
          'Disk limit',
          why('disk', 'what a container writes is measured now and then, and too much ends the run'),
          "put the engine's root on XFS, mounted with pquota",
        ),
  ];
}

/** How runs go on this engine, in one line. */
function runsCheck({ hostMounts, socketMounts, users, buildkit, limits }: EngineAbilities): DoctorCheck {
  if (!users || !buildkit) return failure('Runs', 'not possible on this engine', 'see below');
  const held = (['memory', 'cpus', 'pids'] as const).filter((limit) => limits[limit]);
  const parts = [
    `results through ${hostMounts ? 'host directories' : 'volumes'}`,
    `progress ${socketMounts ? 'of every check' : 'by phases'}`,
    `limits: ${[...held, limits.disk ? 'disk' : 'disk by watching'].join(', ')}`,
  ];
  return ok('Runs', parts.join('; '));
}

export function cpuCheck({ architecture, cpus }: EngineInfo): DoctorCheck {
  const found = `${cpus} of ${architecture}`;
  if (architecture === 'x64' || architecture === 'arm64') return ok('CPUs', found);
  return warning('CPUs', `${found}: the runtime is made for x64 and arm64`, 'use an engine on such a machine');
}

export function memoryCheck({ memoryBytes }: EngineInfo): DoctorCheck {
  const detail = `the engine has ${gib(memoryBytes)}`;
  const fix = 'give the engine more memory, or build with fewer processes';
  if (memoryBytes < MEMORY.fail) return failure('Memory', detail, fix);
  return memoryBytes < MEMORY.warn ? warning('Memory', detail, fix) : ok('Memory', detail);
}

/** Free space at the engine's root; where that is on another machine, at the results' place. */
export function diskCheck({ rootDirectory }: EngineInfo, fallback: string): DoctorCheck {
  const place = existsSync(rootDirectory) ? rootDirectory : fallback;
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const detail = `${gib(free)} free at ${place}`;
  const fix = 'free some space; "ssebench gc --images" removes images that can be built again';
  if (free < DISK.fail) return failure('Disk', detail, fix);
  return free < DISK.warn ? warning('Disk', detail, fix) : ok('Disk', detail);
}

/** The engine's clock against ours, by the creation time of a volume. */
export async function clockCheck(engine: ContainerEngine): Promise<DoctorCheck> {
  const name = `ssebench-clock-${randomBytes(4).toString('hex')}`;
  const before = Date.now();
  await engine.createVolume(name, { [LABEL.role]: 'probe' });
  try {
    const volume = await engine.inspectVolume(name);
    const after = Date.now();
    const told = volume?.createdAt.getTime() ?? before;
    const off = told < before - CLOCK_ERROR ? before - told : told > after + CLOCK_ERROR ? told - after : 0;
    if (off === 0) return ok('Clock', 'the engine and this machine agree');
    const detail = `the engine's clock is ${(off / 1000).toFixed(0)} s off this machine's`;
    return warning('Clock', detail, 'set both by NTP (timedatectl set-ntp true)');
  } finally {
    await engine.removeVolume(name);
  }
}
