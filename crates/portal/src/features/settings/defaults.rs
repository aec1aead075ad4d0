//! The settings of a new lab.

use kernel::units::{CPU_PERIOD, GB};

use super::model::{BasicSettings, LocalSettings, PortRange, Quotas};
use super::model_ldap::LdapAttributes;

impl Default for BasicSettings {
    fn default() -> Self {
        Self {
            product_name: "YunLab 云实验室".to_owned(),
            storage_host: "/disk".to_owned(),
            base_url: String::new(),
            internal_base_url: String::new(),
            public_image_url: String::new(),
            faq_link: String::new(),
            thanks_text: "致谢开源项目".to_owned(),
            thanks_link: String::new(),
            copyright: "© YunLab 云实验室".to_owned(),
            miner_notice: "严禁挖矿。利用实验室资源挖矿的账号一经发现立即禁用，并通报所在研究所。".to_owned(),
            default_quotas: Quotas::default(),
            idle_minutes: 0,
            idle_stop_minutes: 0,
            keep_days: 30,
            auto_start: true,
            port_range: PortRange { from: 30000, to: 39999 },
        }
    }
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            instance_limit: 3,
            instance_limit_offset: 0,
            gpu_limit: 4,
            cpu_quota: 32 * CPU_PERIOD,
            memory_limit: 256 * GB,
            disk_quota: 500 * GB,
        }
    }
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            allow_underscore: false,
            session_hours: 24,
            sign_in_days: 30,
            idle_minutes: 0,
            allow_common_passwords: false,
            change_after_reset: true,
        }
    }
}

impl Default for LdapAttributes {
    fn default() -> Self {
        Self {
            username: "uid".to_owned(),
            name: "cn".to_owned(),
            email: "mail".to_owned(),
            phone: "telephoneNumber".to_owned(),
        }
    }
}
