'use strict';
// Questions that the set-up asks a container engine before any npm package is there, so: CommonJS, no dependency, and any
// Node.js from 18 on. The engine is the one of DOCKER_HOST (unix:// or tcp://), else /var/run/docker.sock.
//
//   engine-probe.cjs ping               does it answer? Status 0; else 1 with the reason on standard error
//   engine-probe.cjs wait SECONDS PID   waits until it answers; ends early, status 1, when process PID is gone
//   engine-probe.cjs base               can a base image be had without a bootstrap: made before, here, or to be pulled?

const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const path = require('node:path');

const REQUEST_LIMIT_MS = 20_000;
const BASE_IMAGE = 'debian:trixie-slim';

/** Where the engine listens, as options of http.request. */
function address() {
  const host = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock';
  if (host.startsWith('unix://')) return { client: http, options: { socketPath: host.slice('unix://'.length) } };
  const url = host.startsWith('tcp://') ? new URL(host.replace('tcp://', 'http://')) : undefined;
  if (!url) throw new Error(`DOCKER_HOST=${host}: only unix:// and tcp:// addresses are understood`);
  const tls = Boolean(process.env.DOCKER_TLS_VERIFY);
  const options = { host: url.hostname, port: url.port || (tls ? 2376 : 2375) };
  if (!tls) return { client: http, options };
  const folder = process.env.DOCKER_CERT_PATH || path.join(process.env.HOME || '', '.docker');
  const read = (name) => fs.readFileSync(path.join(folder, name));
  return { client: https, options: { ...options, ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') } };
}

/** The status and body of one GET. Rejects when nothing answers within the limit. */
function get(route) {
  return new Promise((resolve, reject) => {
    const { client, options } = address();
    const request = client.get({ ...options, path: route, timeout: REQUEST_LIMIT_MS }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${REQUEST_LIMIT_MS / 1000} s`)));
    request.on('error', reject);
  });
}

async function ping() {
  const { status } = await get('/_ping');
  if (status !== 200) throw new Error(`GET /_ping answered ${status}`);
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function wait(seconds, pid) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await ping();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      if (pid && !alive(pid)) throw new Error('the engine ended while it was starting');
    }
    // A socket file may stand before anything listens on it, so there is no event to wait for.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function base() {
  const prefix = process.env.SSEBENCH_REGISTRY || 'localhost/ssebench';
  const filter = JSON.stringify({ reference: [`${prefix}/root`, BASE_IMAGE] });
  const here = await get(`/images/json?filters=${encodeURIComponent(filter)}`);
  if (here.status === 200 && JSON.parse(here.body).length > 0) return;
  const remote = await get(`/distribution/${BASE_IMAGE}/json`);
  if (remote.status !== 200) throw new Error(`${BASE_IMAGE} can't be pulled: ${remote.body.trim()}`);
}

const [question, ...values] = process.argv.slice(2);
const answers = { ping, base, wait: () => wait(Number(values[0]), Number(values[1])) };
answers[question]().catch((error) => {
  process.stderr.write(`${error.code ? `${error.code}: ` : ''}${error.message}\n`);
  process.exitCode = 1;
});
