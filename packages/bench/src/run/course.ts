import type { ModelCourse, RunCourse } from '@ssebench/contracts/owner-file';
import type { ContainerEngine } from '@ssebench/engine/port';
import { thisMoment } from './owner-file.ts';
import type { Prepared } from './prepare-run.ts';
import type { RunRecord } from './record.ts';

interface Start {
  engine: ContainerEngine;
  record: RunRecord;
  prepared: Prepared;
  keepContainer: boolean;
  model: ModelCourse | null;
  /** Seconds; undefined in a run that only grades. */
  agentGrace: number | undefined;
}

/** How a run goes on from now, just before its first container is started. */
export function courseOf({ engine, record, prepared, keepContainer, model, agentGrace }: Start): RunCourse {
  const { images, abilities, description } = prepared;
  return {
    engine_address: engine.address,
    engine: description,
    images: record.images,
    limits: record.limits,
    phases: [...record.phases],
    runtime_volume: images.runtime.volume,
    grader: { image: images.tool.id, env: images.caseImage.env },
    host_mounts: abilities.hostMounts,
    socket_mounts: abilities.socketMounts,
    keep_container: keepContainer,
    model,
    work: agentGrace === undefined ? null : { agent_grace: agentGrace, started: thisMoment() },
  };
}
