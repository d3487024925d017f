interface HostSetting {
  /** Read from the environment alone, or from the workspace's `.env`, too. */
  from: 'environment' | 'environment or .env';
  /** The option of a command that does the same and goes before it. */
  option?: string;
  fallback: string;
  meaning: string;
}

/** What each variable means that the `ssebench` command itself reads. A test finds one that is missing here. */
export const HOST_SETTINGS: Readonly<Record<string, HostSetting>> = {
  SSEBENCH_HOME: {
    from: 'environment',
    fallback: 'the checkout that the current directory is in',
    meaning: 'The checkout with `agents/`, `images/`, `models/` and `.env`.',
  },
  SSEBENCH_REGISTRY: {
    from: 'environment or .env',
    fallback: '`localhost/ssebench`',
    meaning: 'Prefix of all image names. Images under another prefix than `localhost/…` are pulled, not built.',
  },
  SSEBENCH_DEBIAN_MIRROR: {
    from: 'environment or .env',
    fallback: "a registry's Debian image; without a registry, the usual mirror",
    meaning: "Address of a Debian mirror from which the base images' Debian is made.",
  },
  SSEBENCH_EXTRA_CA: {
    from: 'environment or .env',
    option: '`--extra-ca`',
    fallback: 'what `NODE_EXTRA_CA_CERTS` or `SSL_CERT_FILE` add to the usual ones',
    meaning: 'PEM file of certificate authorities that images trust, too; `none`: no more than the usual ones.',
  },
  SSEBENCH_HOST_MOUNTS: {
    from: 'environment or .env',
    fallback: '`auto`: what a probe of the engine finds',
    meaning: '`off`: the engine mounts nothing of this machine; results go through volumes (docs/engines.md).',
  },
  SSEBENCH_CATALOG: {
    from: 'environment or .env',
    option: '`--catalog`',
    fallback: '`datasets/starter/manifest.json` of home',
    meaning: 'Path or web address of the manifest whose tasks `ssebench tasks list` lists.',
  },
  SSEBENCH_IMAGES_LOCK: {
    from: 'environment or .env',
    fallback: 'the `images.lock.json` beside a local manifest',
    meaning: 'Path or web address of the lock with the digests of published case images.',
  },
  SSEBENCH_EGRESS: {
    from: 'environment or .env',
    option: '`--egress`',
    fallback: '`restricted`',
    meaning: '`open`: the work container has a bridge network; `restricted`: it has none.',
  },
  SSEBENCH_MODEL_FIELDS: {
    from: 'environment or .env',
    fallback: 'unset: the allow-list alone',
    meaning:
      'Fields and kinds of content, separated by commas, that the model gateway lets pass beside its allow-list.',
  },
  LITELLM_BASE_URL: {
    from: 'environment or .env',
    fallback: 'unset: the embedded gateway',
    meaning: 'Address of a LiteLLM through which runs reach their models (docs/models.md).',
  },
  LITELLM_MASTER_KEY: {
    from: 'environment or .env',
    fallback: 'made by `ssebench proxy up`',
    meaning: "LiteLLM's master key, with which each run gets a key of its own.",
  },
  LITELLM_PORT: {
    from: 'environment or .env',
    fallback: '`4000`',
    meaning: 'Port of this machine at which the LiteLLM of `ssebench proxy up` listens.',
  },
  LITELLM_BIND: {
    from: 'environment or .env',
    fallback: '`127.0.0.1`',
    meaning: 'Address of this machine at which it listens.',
  },
  POSTGRES_PASSWORD: {
    from: 'environment or .env',
    fallback: 'made by `ssebench proxy up`',
    meaning: 'Password of its database, letters and digits alone; taken when the database is made.',
  },
  POSTGRES_USER: {
    from: 'environment or .env',
    fallback: '`litellm`',
    meaning: 'User of its database.',
  },
  COMPOSE_PROJECT_NAME: {
    from: 'environment or .env',
    fallback: '`ssebench`',
    meaning: 'Prefix of its containers, networks and volume.',
  },
  SSEBENCH_BACKEND: {
    from: 'environment or .env',
    fallback: '`docker`',
    meaning: 'Kind of engine. Others than `docker` are refused in this version.',
  },
  SSEBENCH_PREBUILT: {
    from: 'environment or .env',
    option: '`--prebuilt`',
    fallback: 'unset',
    meaning: '`1`, `true`, `yes` or `on`: runs use published images alone and build nothing (docs/datasets.md).',
  },
  DOCKER_HOST: {
    from: 'environment',
    fallback: "the first of Docker's and Podman's usual sockets that can be opened",
    meaning: 'Address of the container engine: `unix:///path` or `tcp://host:port`.',
  },
  DOCKER_TLS_VERIFY: {
    from: 'environment',
    fallback: 'unset',
    meaning: 'Set: the engine at a TCP address is asked over TLS.',
  },
  DOCKER_CERT_PATH: {
    from: 'environment',
    fallback: '`~/.docker`',
    meaning: 'Directory with `ca.pem`, `cert.pem` and `key.pem` for that.',
  },
  XDG_RUNTIME_DIR: {
    from: 'environment',
    fallback: 'the directory for temporary files',
    meaning: 'Where runs that go on have their sockets, and where sockets of rootless engines are looked for.',
  },
  npm_config_registry: {
    from: 'environment',
    fallback: '`https://registry.npmjs.org`',
    meaning: "Where agents' programs come from when they are built; also as `NPM_CONFIG_REGISTRY`.",
  },
  'http_proxy, https_proxy, no_proxy, all_proxy, ftp_proxy': {
    from: 'environment',
    fallback: 'unset',
    meaning: 'Handed to image builds, in both spellings; they stay out of the images.',
  },
};
