/** The worker with its own types; `self` is declared as a page's. */
export const worker = self as unknown as ServiceWorkerGlobalScope;

/** The page's base address: everything under it belongs to the page. */
export const scope = worker.registration.scope;
