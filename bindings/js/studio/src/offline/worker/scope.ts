/** The worker as its types have it; `self` is declared as a page's. */
export const worker = self as unknown as ServiceWorkerGlobalScope;

/** The address below which everything is the page's. */
export const scope = worker.registration.scope;
