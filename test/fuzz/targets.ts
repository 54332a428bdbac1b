import type { FuzzTarget } from "./target.ts";
import { target as adsDelta } from "./targets/ads-delta.ts";
import { target as adsSotw } from "./targets/ads-sotw.ts";
import { target as clientStatus } from "./targets/client-status.ts";
import { target as commandLine } from "./targets/command-line.ts";
import { target as csr } from "./targets/csr.ts";
import { target as etcd } from "./targets/etcd.ts";
import { target as etcdAnswers } from "./targets/etcd-answers.ts";
import { target as eureka } from "./targets/eureka.ts";
import { target as explain } from "./targets/explain.ts";
import { target as grpcFrames } from "./targets/grpc-frames.ts";
import { target as history } from "./targets/history.ts";
import { target as injectWebhook } from "./targets/inject-webhook.ts";
import { target as jwks } from "./targets/jwks.ts";
import { target as jwt } from "./targets/jwt.ts";
import { target as kubeList } from "./targets/kube-list.ts";
import { target as kubeWatch } from "./targets/kube-watch.ts";
import { target as mcpOverXds } from "./targets/mcp-over-xds.ts";
import { target as mcpSink } from "./targets/mcp-sink.ts";
import { target as mcpSource } from "./targets/mcp-source.ts";
import { target as node } from "./targets/node.ts";
import { target as pages } from "./targets/pages.ts";
import { target as validateWebhook } from "./targets/validate-webhook.ts";
import { target as xdsSource } from "./targets/xds-source.ts";
import { target as yaml } from "./targets/yaml.ts";
import { target as zookeeper } from "./targets/zookeeper.ts";
import { target as zookeeperFrames } from "./targets/zookeeper-frames.ts";

/** Every surface that takes bytes from outside, the ones that strangers reach first. */
export const targets: readonly FuzzTarget[] = [
  // Clients of our servers
  adsSotw,
  adsDelta,
  node,
  csr,
  jwt,
  validateWebhook,
  injectWebhook,
  pages,
  grpcFrames,
  clientStatus,
  mcpSource,
  mcpOverXds,
  // Files and commands of users
  yaml,
  explain,
  commandLine,
  history,
  // Servers that we read from
  mcpSink,
  xdsSource,
  kubeList,
  kubeWatch,
  etcd,
  etcdAnswers,
  zookeeper,
  zookeeperFrames,
  eureka,
  jwks,
];
