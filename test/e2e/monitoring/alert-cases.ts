/** Series by name and labels, with one value per minute in promtool's notation: `0x5` is 0, then 0 five times more. */
type Series = Readonly<Record<string, string>>;

/** When one alert fires, and a near miss in which it does not. */
export interface AlertCase {
  readonly alert: string;
  readonly severity: "warning" | "critical";
  readonly fires: Series;
  readonly silent: Series;
  /** Minutes after the start. Default: 20. */
  readonly at?: number;
}

const counts = (name: string) => ({ fires: { [name]: "0x10 1x20" }, silent: { [name]: "7x30" } });
const day = 86_400;

/** The tests begin in 1970, so that a time of expiry is a small number. */
const expiry = (use: string) => `binnacle_certificate_expiry_timestamp_seconds{instance="a",use="${use}"}`;

export const alertCases: readonly AlertCase[] = [
  {
    alert: "BinnacleDown",
    severity: "critical",
    fires: { 'up{job="binnacle",instance="a"}': "1x10 0x20", 'up{job="node"}': "1x30" },
    silent: { 'up{job="binnacle",instance="a"}': "0x30", 'up{job="binnacle",instance="b"}': "1x30" },
  },
  {
    alert: "BinnacleReplicaDown",
    severity: "warning",
    fires: { 'up{job="binnacle",instance="a"}': "0x30", 'up{job="binnacle",instance="b"}': "1x30" },
    silent: { 'up{job="binnacle",instance="a"}': "1x15 0x5", 'up{job="node"}': "0x30" },
    at: 18,
  },
  { alert: "BinnacleMainThreadStuck", severity: "critical", ...counts("binnacle_main_thread_stalls_total") },
  {
    alert: "BinnacleEventLoopSlow",
    severity: "warning",
    fires: { nodejs_eventloop_lag_p99_seconds: "0.6x30" },
    silent: { nodejs_eventloop_lag_p99_seconds: "0.6x9 0.4x1 0.6x20" },
    at: 18,
  },
  {
    alert: "BinnacleOverloaded",
    severity: "critical",
    fires: { binnacle_overload_level: "0x10 2x20" },
    silent: { binnacle_overload_level: "1x17 3x20" },
  },
  {
    alert: "BinnacleShedsWork",
    severity: "warning",
    fires: { 'binnacle_shed_work_total{class="configuration"}': "0+1x30" },
    silent: { 'binnacle_shed_work_total{class="configuration"}': "0x14 3x20" },
  },
  {
    alert: "BinnaclePartFails",
    severity: "warning",
    // The series begins with the first failure.
    fires: { 'binnacle_part_failures_total{part="desk"}': "_x10 1x20" },
    silent: { 'binnacle_part_failures_total{part="desk"}': "1x30" },
  },
  { alert: "BinnacleLogLinesDropped", severity: "warning", ...counts("binnacle_log_dropped_lines_total") },
  {
    alert: "BinnacleNoLeader",
    severity: "warning",
    fires: { 'binnacle_leader{lease="x",instance="a"}': "0x30", 'binnacle_leader{lease="x",instance="b"}': "1x5 0x30" },
    silent: { 'binnacle_leader{lease="x",instance="a"}': "0x30", 'binnacle_leader{lease="x",instance="b"}': "1x30" },
  },
  {
    alert: "BinnacleNoProxies",
    severity: "critical",
    fires: { 'pilot_xds{version="1"}': "5x5 _x20" },
    // Nobody ever connected: a server without proxies is no problem.
    silent: { 'pilot_xds{version="1"}': "0x30" },
  },
  {
    alert: "BinnacleProxiesReject",
    severity: "warning",
    fires: { 'binnacle_rejected_resources{type="lds",resource="l",object="Gateway/a/b",reference="f:1"}': "3x30" },
    silent: {
      'binnacle_rejected_resources{type="lds",resource="l",object="Gateway/a/b",reference="f:1"}': "_x16 3x20",
    },
  },
  {
    alert: "BinnacleProxyBehind",
    severity: "warning",
    fires: { binnacle_proxy_behind_seconds: "0x10 60+60x20" },
    silent: { binnacle_proxy_behind_seconds: "0x10 119x20" },
  },
  {
    alert: "BinnacleManyProxiesBehind",
    severity: "critical",
    fires: { 'binnacle_proxies{state="synced"}': "7x30", 'binnacle_proxies{state="behind"}': "3x30" },
    silent: { 'binnacle_proxies{state="synced"}': "8x30", 'binnacle_proxies{state="behind"}': "2x30" },
  },
  {
    alert: "BinnacleConvergenceSlow",
    severity: "warning",
    fires: {
      'pilot_proxy_convergence_time_bucket{le="10"}': "0+90x40",
      'pilot_proxy_convergence_time_bucket{le="30"}': "0+100x40",
      'pilot_proxy_convergence_time_bucket{le="+Inf"}': "0+100x40",
    },
    silent: {
      'pilot_proxy_convergence_time_bucket{le="10"}': "0+99x40",
      'pilot_proxy_convergence_time_bucket{le="30"}': "0+100x40",
      'pilot_proxy_convergence_time_bucket{le="+Inf"}': "0+100x40",
    },
    at: 30,
  },
  {
    alert: "BinnacleStreamsRefused",
    severity: "warning",
    fires: { binnacle_xds_refused_total: "0+2x40" },
    silent: { binnacle_xds_refused_total: "0+0.5x40" },
    at: 30,
  },
  { alert: "BinnacleProxiesReadNothing", severity: "warning", ...counts("pilot_xds_write_timeout") },
  {
    alert: "BinnaclePushErrors",
    severity: "critical",
    fires: { pilot_xds_push_context_errors: "0+1x30" },
    silent: { pilot_xds_push_context_errors: "0x10 1x20" },
  },
  {
    alert: "BinnacleInternalErrors",
    severity: "warning",
    fires: { pilot_total_xds_internal_errors: "0x15 1x20" },
    silent: { pilot_total_xds_internal_errors: "4x30" },
  },
  {
    alert: "BinnacleSourceStale",
    severity: "warning",
    fires: { 'binnacle_source_stale_seconds{source="kube:"}': "0+60x30" },
    silent: { 'binnacle_source_stale_seconds{source="kube:"}': "0x10 0+30x20" },
  },
  {
    alert: "BinnacleConfigErrors",
    severity: "warning",
    fires: { 'binnacle_config_issues{severity="error"}': "2x30" },
    silent: {
      'binnacle_config_issues{severity="error"}': "0x30",
      'binnacle_config_issues{severity="warning"}': "9x30",
    },
  },
  {
    alert: "BinnacleObjectsLeftOut",
    severity: "critical",
    fires: { 'binnacle_source_left_out_objects{source="file:mesh"}': "0x10 5x20" },
    silent: { 'binnacle_source_left_out_objects{source="file:mesh"}': "5x10 0x20" },
  },
  {
    alert: "BinnacleQuarantineNotEmpty",
    severity: "warning",
    fires: { 'binnacle_quarantine_objects{kind="Gateway"}': "1x60" },
    silent: { 'binnacle_quarantine_objects{kind="Gateway"}': "_x20 1x60" },
    at: 45,
  },
  {
    alert: "BinnacleRejectionUnexplained",
    severity: "warning",
    fires: { 'binnacle_quarantine_searches_total{result="inconclusive"}': "0x15 1x20" },
    silent: { 'binnacle_quarantine_searches_total{result="found"}': "0x15 1x20" },
  },
  {
    alert: "BinnacleKeySetsFail",
    severity: "critical",
    fires: { 'binnacle_jwks_key_sets{state="failing"}': "1x30" },
    silent: { 'binnacle_jwks_key_sets{state="failing"}': "0x30", 'binnacle_jwks_key_sets{state="stale"}': "2x30" },
  },
  {
    alert: "BinnacleSinksReject",
    severity: "warning",
    fires: { 'istio_mcp_request_nacks_total{collection="c",code="InvalidArgument"}': "_x10 1x20" },
    silent: { 'istio_mcp_request_nacks_total{collection="c",code="InvalidArgument"}': "4x30" },
  },
  {
    alert: "BinnacleWebhookNotRegistered",
    severity: "warning",
    fires: { 'galley_validation_config_update_error{reason="NotFound"}': "_x5 1+1x30" },
    silent: { 'galley_validation_config_update_error{reason="NotFound"}': "3x30" },
  },
  {
    alert: "BinnacleRootExpiresSoon",
    severity: "warning",
    fires: { [expiry("root")]: `${29 * day}x90` },
    silent: { [expiry("root")]: `${31 * day}x90`, [expiry("server")]: `${day}x90` },
    at: 80,
  },
  {
    alert: "BinnacleRootExpiresNow",
    severity: "critical",
    fires: { [expiry("signing")]: `${6 * day}x30` },
    silent: { [expiry("signing")]: `${8 * day}x30`, [expiry("server")]: `${day}x30` },
  },
  {
    alert: "BinnacleServerCertificateExpires",
    severity: "critical",
    fires: { [expiry("server")]: "3000x30" },
    silent: { [expiry("server")]: `${day}x30` },
  },
  {
    alert: "BinnacleSigningFails",
    severity: "critical",
    fires: { 'citadel_server_csr_sign_err_count{error="failed"}': "0+1x30" },
    silent: { 'citadel_server_csr_sign_err_count{error="invalid-ttl"}': "0+1x30" },
  },
  {
    alert: "BinnacleCallersNotAuthenticated",
    severity: "warning",
    fires: { citadel_server_authentication_failure_count: "0+2x40" },
    silent: { citadel_server_authentication_failure_count: "0+0.5x40" },
    at: 30,
  },
];
