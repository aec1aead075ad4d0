// Quotas as the API holds them and as people write them: microseconds of CPU per period as cores, bytes as GB.
// 0 means unlimited for CPU, memory and disk; a person without GPUs can still use CPUs.

/** As in the API. */
export interface Quotas {
  instanceLimit: number;
  instanceLimitOffset: number;
  GPUNumlimit: number;
  CPUPeriodQuota: number;
  memoryLimit: number;
  diskQuota: number;
}

/** As on the screen. */
export interface QuotaForm {
  instanceLimit: number;
  instanceLimitOffset: number;
  GPUNumlimit: number;
  cores: number;
  memoryGb: number;
  diskGb: number;
}

/** Microseconds of CPU in one period; a quota of this size is one core. */
export const CPU_PERIOD = 100_000;
export const GB = 1024 ** 3;

const otherUnits: Readonly<Record<string, string>> = {
  CPUPeriodQuota: "cores",
  memoryLimit: "memoryGb",
  diskQuota: "diskGb",
};

/** The form's name of an API field: a different one where the form uses another unit. */
export const quotaFormName = (apiName: string): string => otherUnits[apiName] ?? apiName;

const hundredths = (value: number) => Math.round(value * 100) / 100;

export function toQuotaForm(quotas: Quotas): QuotaForm {
  return {
    instanceLimit: quotas.instanceLimit,
    instanceLimitOffset: quotas.instanceLimitOffset,
    GPUNumlimit: quotas.GPUNumlimit,
    cores: hundredths(quotas.CPUPeriodQuota / CPU_PERIOD),
    memoryGb: hundredths(quotas.memoryLimit / GB),
    diskGb: hundredths(quotas.diskQuota / GB),
  };
}

export function fromQuotaForm(form: QuotaForm): Quotas {
  return {
    instanceLimit: form.instanceLimit,
    instanceLimitOffset: form.instanceLimitOffset,
    GPUNumlimit: form.GPUNumlimit,
    CPUPeriodQuota: Math.round(form.cores * CPU_PERIOD),
    memoryLimit: Math.round(form.memoryGb * GB),
    diskQuota: Math.round(form.diskGb * GB),
  };
}

const figures = new Intl.NumberFormat("zh-CN", { maximumFractionDigits: 2 });

/** 4, or 4+1 with a temporary one. */
export function instanceText(quotas: Pick<Quotas, "instanceLimit" | "instanceLimitOffset">): string {
  const { instanceLimit, instanceLimitOffset } = quotas;
  if (instanceLimitOffset === 0) return figures.format(instanceLimit);
  const sign = instanceLimitOffset > 0 ? "+" : "−";
  return `${figures.format(instanceLimit)}${sign}${figures.format(Math.abs(instanceLimitOffset))}`;
}

export function coresText(quota: number): string {
  return quota === 0 ? "不限" : figures.format(quota / CPU_PERIOD);
}

export function gigabytesText(bytes: number): string {
  return bytes === 0 ? "不限" : figures.format(bytes / GB);
}

export function countText(count: number): string {
  return figures.format(count);
}
