/** A kind of listener. It alone decides what a caller may do; no header and no token does. Source: spec/runtime §2.1. */
export type ListenerKind = 'agent' | 'admin' | 'host';
