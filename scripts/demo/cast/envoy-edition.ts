import { peerPath } from "../../peer.ts";
import { startDemoEnvoy } from "./demo-envoy.ts";
import { type Edition, jasonHeaders } from "./edition.ts";
import { HttpCaller } from "./http-caller.ts";
import { startHttpWorkload } from "./workloads.ts";

/** HTTP workloads behind two real Envoys: a gateway, and the sidecar of a client. */
export const envoyEdition: Edition = {
  title: "a gateway and a sidecar, both Envoy",
  prepare: async () => void (await peerPath("envoy")),
  startWorkload: startHttpWorkload,
  flows: [
    {
      user: "everybody",
      way: ({ gatewayPort }) => `http://reviews.localhost:${gatewayPort}/ (gateway)`,
      async start({ bookinfo, xdsPort }) {
        const port = bookinfo.gatewayPort;
        const envoy = await startDemoEnvoy({ identity: { type: "router", name: "gateway-0" }, xdsPort });
        return new HttpCaller({ envoy, port, headers: { host: `reviews.localhost:${port}` } });
      },
    },
    {
      user: "jason",
      way: ({ servicePort }) => `http://reviews:${servicePort}/ (sidecar)`,
      async start({ bookinfo, xdsPort }) {
        const port = bookinfo.servicePort;
        const envoy = await startDemoEnvoy({ identity: { type: "sidecar", name: "productpage-0" }, xdsPort });
        return new HttpCaller({ envoy, port, headers: { host: `reviews:${port}`, ...jasonHeaders } });
      },
    },
  ],
};
