import { EngineError } from '../errors.ts';
import type { ContainerEngine } from '../port.ts';

const REASON = 'this engine shares nothing with this machine';

/** The same engine as one that can mount nothing of this machine: it says so, and refuses a container that asks for it. */
export function withoutHostMounts(engine: ContainerEngine): ContainerEngine {
  const without: Partial<ContainerEngine> = {
    async abilities(options) {
      abilities ??= engine.abilities(options).then((found) => ({
        ...found,
        hostMounts: false,
        socketMounts: false,
        reasons: { ...found.reasons, hostMounts: REASON, socketMounts: REASON },
      }));
      return abilities;
    },
    async createContainer(spec, options) {
      if (!spec.mounts?.some(({ type }) => type === 'bind')) return engine.createContainer(spec, options);
      throw new EngineError('refused', { operation: 'create container', detail: REASON });
    },
  };
  let abilities: ReturnType<ContainerEngine['abilities']> | undefined;
  return { ...engine, ...without };
}
