import { z } from 'zod';

const text = z.string().trim().min(1, 'must not be empty');
const url = z.string().regex(/^https:\/\/\S+$/, 'must be an https:// address');
const taskPath = text.refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
  message: 'must be relative to the task folder',
});
const commit = z.string().regex(/^[0-9a-f]{40}$/, 'must be a full commit of 40 hexadecimal digits');

/** Where a package archive comes from, and how its checksum is written. */
const PACKAGE_KINDS = ['debian-source', 'go-module', 'crate'] as const;

/** The project that a task's source is of. */
const Upstream = z.strictObject({
  name: text,
  /** SPDX expression. */
  license: text,
  /** Where it was read. */
  license_files: z.array(text).min(1, 'must not be empty'),
  /** What a reader must know of it: copyleft, special terms. */
  note: text.optional(),
});

/** The source as a package archive that the Dockerfile fetches. */
const PackageOrigin = z.strictObject({
  kind: z.enum(PACKAGE_KINDS),
  name: text,
  version: text,
  /** `sha256:` and hexadecimal digits; of a Go module as `go.sum` has it, `h1:…`. */
  checksum: z
    .string()
    .regex(
      /^(?:sha256:[0-9a-f]{64}|h1:[A-Za-z0-9+/]{43}=)$/,
      'must be sha256: and 64 hexadecimal digits, or h1:… of go.sum',
    ),
});
export type PackageOrigin = z.infer<typeof PackageOrigin>;

/** The source as a crate that the task folder holds. */
const VendoredOrigin = z.strictObject({
  /** Relative to the task folder. */
  dir: taskPath,
  name: text,
  version: text,
  revision: commit,
  license_files: z.array(text).min(1, 'must not be empty'),
});

/** Where proofs of concept come from: a kind, or words. */
const PocOrigin = z
  .strictObject({
    files: z.array(taskPath).min(1, 'must not be empty'),
    kind: z.enum(['report', 'derived', 'written']).optional(),
    text: text.optional(),
  })
  .refine((poc) => poc.kind !== undefined || poc.text !== undefined, {
    message: 'needs a kind (report, derived or written), or a text',
  });
export type PocOrigin = z.infer<typeof PocOrigin>;

const ThirdPartyTask = z.strictObject({
  upstream: url,
  /** The commit, or the package's version, at which the licence was read. */
  license_checked_at: text,
  /** Default: the config's `patch_commit`. */
  fix_commits: z.array(commit).optional(),
  /** Where a fix is read that is no commit of the upstream project, such as a distribution's patch. */
  fix_patches: z.array(url).default([]),
  advisories: z
    .array(z.string().regex(/^(?:CVE|GHSA|GO|RUSTSEC)-[0-9A-Za-z-]+$/, 'must begin with CVE-, GHSA-, GO- or RUSTSEC-'))
    .default([]),
  report: url,
  pocs: z.array(PocOrigin).default([]),
  vendored: VendoredOrigin.optional(),
  package: PackageOrigin.optional(),
});
export type ThirdPartyTask = z.infer<typeof ThirdPartyTask>;

/** `third_party.json` of a dataset: what is others' in it. Source: spec/host §6. */
export const ThirdParty = z
  .strictObject({
    /** By the address of the repository. */
    upstreams: z.record(url, Upstream),
    /** By the task's ID. */
    tasks: z.record(z.string(), ThirdPartyTask),
    /** Where an advisory is read, when not at the usual place. */
    advisory_urls: z.record(z.string(), url).default({}),
  })
  .meta({ title: 'SSEBench third-party notices' });
export type ThirdParty = z.infer<typeof ThirdParty>;
