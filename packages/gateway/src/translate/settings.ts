import type { Settings } from './conversation.ts';

/** A setting that the provider's protocol can't say. Who knows the client's protocol tells its field. */
export class SettingRefused extends Error {
  readonly setting: keyof Settings;

  constructor(setting: keyof Settings) {
    super(setting);
    this.setting = setting;
  }
}

/** @throws SettingRefused */
export function refuseSetting(setting: keyof Settings): never {
  throw new SettingRefused(setting);
}
