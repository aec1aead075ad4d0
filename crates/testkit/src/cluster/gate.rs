//! A way to a server that can be closed, for one test among several that use the server.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// A port of loopback that leads to a server.
pub struct Gate {
    port: u16,
    target: String,
    open: Mutex<Option<JoinHandle<()>>>,
}

impl Gate {
    /// An open way to `target`, as in `host:port`.
    ///
    /// # Panics
    /// When there is no port for it.
    pub async fn to(target: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let gate = Self { port, target: target.to_owned(), open: Mutex::default() };
        gate.serve(listener);
        gate
    }

    /// Where it is entered.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Closes it, and all connections that go through it.
    pub fn close(&self) {
        if let Some(open) = self.open.lock().unwrap_or_else(PoisonError::into_inner).take() {
            open.abort();
        }
    }

    /// Opens it again.
    ///
    /// # Panics
    /// When something else has its port.
    pub async fn open(&self) {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        // Its earlier connections are still on their way out.
        socket.set_reuseaddr(true).expect("an option of sockets");
        socket.bind(address).expect("its port");
        self.serve(socket.listen(64).expect("its port"));
    }

    fn serve(&self, listener: TcpListener) {
        let target = self.target.clone();
        let task = tokio::spawn(async move {
            // Connections end with this set.
            let mut connections = JoinSet::new();
            while let Ok((mut client, _)) = listener.accept().await {
                let target = target.clone();
                connections.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(target).await {
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                    }
                });
                while connections.try_join_next().is_some() {}
            }
        });
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.close();
    }
}
