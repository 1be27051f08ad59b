import CommandLineKit
import Operations
import ServerCore
import Wire

/// Answers to requests about accounts. Called on the admin socket's queue.
extension Host {
    /// - Precondition: the request is about accounts.
    func answerAboutAccounts(_ request: AdminRequest) -> AdminReply {
        switch request {
        case .accounts(let limit):
            let (entries, others) = server.accounts(limit: limit)
            return .table(AccountWording.table(of: entries, others: others))
        case .account(let name):
            guard let account = server.account(named: name) else { return refused(.noSuchAccount(name)) }
            return .table(AccountWording.detail(of: account))
        case .credit(let name, let chips): return change(name, .credit(chips))
        case .rename(let name, let text):
            do throws(ProtocolError) {
                return change(name, .rename(try PlayerName(text)))
            } catch {
                return .refused(code: "invalid_name", message: error.message)
            }
        case .disable(let name): return change(name, .disable(true))
        case .enable(let name): return change(name, .disable(false))
        case .resetSecret(let name): return change(name, .secret(AccountWording.newSecret()))
        case .delete(let name): return change(name, .delete)
        default: preconditionFailure("the request is about accounts")
        }
    }

    private func change(_ name: String, _ change: AccountChange) -> AdminReply {
        let account: AccountSummary
        do throws(AccountRefusal) {
            account = try server.change(accountNamed: name, change)
        } catch {
            return refused(error)
        }
        guard case .secret(let secret) = change else { return .done(AccountWording.done(change, name, account)) }
        let listen = configuration.options.listen
        return .done(
            AccountWording.importLine(
                house: server.house, server: Endpoint(host: local(listen.host), port: listen.port).description,
                name: account.name, secret: secret))
    }

    private func refused(_ refusal: AccountRefusal) -> AdminReply {
        .refused(code: refusal.code, message: refusal.description)
    }
}
