//! A lab of one instance.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ssh_gateway::{Entered, Guest, Lab, Login, Offer, Purpose, Reason, Refusal, Standing};
use tokio::sync::watch;

use crate::root::{Content, Root};

/// The name of its instance.
pub(crate) const INSTANCE: &str = "ins_ann_GPUabcde";

/// The lab, in which Ann has an instance.
pub(crate) struct TestLab {
    pub(crate) root: Root,
    /// The fingerprint of Ann's key.
    key: Mutex<String>,
    /// Ann's password, where passwords are accepted.
    pub(crate) password: Mutex<Option<String>>,
    pub(crate) running: watch::Sender<bool>,
    /// What was noted, in order.
    pub(crate) noted: Mutex<Vec<Purpose>>,
    /// Why the connections have to end.
    pub(crate) over: watch::Sender<Option<Refusal>>,
}

impl fmt::Debug for TestLab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TestLab")
    }
}

impl TestLab {
    pub(crate) fn new(content: Content) -> Arc<Self> {
        Arc::new(Self {
            root: Root::new(content),
            key: Mutex::default(),
            password: Mutex::default(),
            running: watch::Sender::new(true),
            noted: Mutex::default(),
            over: watch::Sender::default(),
        })
    }

    pub(crate) fn set_key(&self, fingerprint: String) {
        *self.key.lock().unwrap() = fingerprint;
    }

    fn has(&self, login: &Login, fingerprint: &str) -> bool {
        login.user.as_deref().is_none_or(|user| user == "ann") && *self.key.lock().unwrap() == fingerprint
    }
}

/// What the lab is reached by: handles of it are guests, too.
#[derive(Clone, Debug)]
pub(crate) struct Door(pub(crate) Arc<TestLab>);

#[async_trait]
impl Lab for Door {
    fn login(&self, name: &str) -> Login {
        Login::parse(name, |name| name.starts_with("ins_"))
    }

    async fn knows_key(&self, login: &Login, fingerprint: &str, _from: IpAddr) -> bool {
        self.0.has(login, fingerprint)
    }

    async fn sign_in(&self, login: &Login, fingerprint: &str, _from: SocketAddr) -> Option<Arc<dyn Guest>> {
        self.0.has(login, fingerprint).then(|| Arc::new(self.clone()) as Arc<dyn Guest>)
    }

    async fn takes_passwords(&self) -> bool {
        self.0.password.lock().unwrap().is_some()
    }

    async fn sign_in_with_password(&self, _login: &Login, password: &str, _from: SocketAddr) -> Option<Arc<dyn Guest>> {
        let right = self.0.password.lock().unwrap().as_deref() == Some(password);
        right.then(|| Arc::new(self.clone()) as Arc<dyn Guest>)
    }
}

#[async_trait]
impl Guest for Door {
    async fn instances(&self) -> Result<Vec<Offer>, Refusal> {
        let (standing, state) = if *self.0.running.borrow() {
            (Standing::Running, "运行中")
        } else {
            (Standing::Startable, "已停止")
        };
        let (name, note, state) = (INSTANCE.to_owned(), "训练".to_owned(), state.to_owned());
        Ok(vec![Offer { name, note, standing, state }])
    }

    async fn enter(&self, instance: &str) -> Result<Entered, Refusal> {
        if instance != INSTANCE {
            return Err(Refusal::new(Reason::NotFound, "没有这个实例"));
        }
        if !*self.0.running.borrow() {
            return Err(Refusal::new(Reason::NotRunning, "实例已停止"));
        }
        Ok(Entered { id: "1".to_owned(), name: INSTANCE.to_owned(), session: self.0.root.session().await })
    }

    async fn note(&self, _instance: &str, purpose: Purpose) -> Result<(), Refusal> {
        self.0.noted.lock().unwrap().push(purpose);
        Ok(())
    }

    async fn start(&self, _instance: &str) -> Result<(), Refusal> {
        self.0.running.send_replace(true);
        Ok(())
    }

    async fn ended(&self, _instance: Option<&str>) -> Refusal {
        let mut over = self.0.over.subscribe();
        let why = over.wait_for(Option::is_some).await.unwrap().clone();
        why.unwrap()
    }
}
