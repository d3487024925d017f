/** What an image may set for a Node.js of its own, and no other should follow. */
export const OF_NODE = ['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS'] as const;
/** Before their names while ours starts. */
export const KEPT_PREFIX = 'SSE_KEPT_';
