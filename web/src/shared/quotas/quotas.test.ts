import { describe, expect, it } from "vitest";
import {
  coresText,
  fromQuotaForm,
  GB,
  gigabytesText,
  instanceText,
  quotaFormName,
  toQuotaForm,
} from "./quotas";

const quotas = {
  instanceLimit: 4,
  instanceLimitOffset: 1,
  GPUNumlimit: 0,
  CPUPeriodQuota: 850_000,
  memoryLimit: 0,
  diskQuota: 1.5 * GB,
};

describe("quotas", () => {
  it("S166 come back as they went into the form", () => {
    expect(toQuotaForm(quotas)).toMatchObject({ cores: 8.5, memoryGb: 0, diskGb: 1.5 });
    expect(fromQuotaForm(toQuotaForm(quotas))).toEqual(quotas);
  });

  it("read as people write them", () => {
    expect(instanceText(quotas)).toBe("4+1");
    expect(instanceText({ instanceLimit: 4, instanceLimitOffset: 0 })).toBe("4");
    expect([coresText(0), coresText(6_400_000), gigabytesText(0), gigabytesText(2048 * GB)]).toEqual([
      "不限",
      "64",
      "不限",
      "2,048",
    ]);
    expect([quotaFormName("diskQuota"), quotaFormName("GPUNumlimit")]).toEqual(["diskGb", "GPUNumlimit"]);
  });
});
