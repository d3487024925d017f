import type { Clock } from './ports.ts';

export const systemClock: Clock = {
  now: () => performance.now(),

  wait(ms, stop) {
    if (stop.stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stop.off(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      stop.on(end);
    });
  },
};
